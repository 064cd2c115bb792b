import { missOf, type Limits } from "../../lib/limited.ts";
import type { BoundField } from "../../model/request-shape.ts";
import { compileLimits } from "../limit-constants.ts";

/** Generates HTML attributes that make a browser enforce a field's constraints. */
export function attributesText(field: BoundField, tag: string): string {
  return controlAttributes(field, tag).join(" ");
}

/** Returns a control's attributes. A select already restricts its values; a textarea has no type or pattern. */
function controlAttributes(field: BoundField, tag: string): readonly string[] {
  const required = isRequired(field) ? ["required"] : [];
  if (tag === "select") return required;
  const { type } = field;
  if (type.kind === "string") {
    const { min, max, format } = type.limits ?? {};
    // Double the limit, because browsers count UTF-16 code units here and a character has at most two.
    const longest = attribute("maxlength", max === undefined ? undefined : 2 * max);
    if (tag === "textarea") return [...required, ...attribute("minlength", min), ...longest];
    return [...attribute("type", format), ...required, ...longest, ...attribute("pattern", inputPattern(type.limits))];
  }
  if (tag === "textarea" || (type.kind !== "int" && type.kind !== "int64" && type.kind !== "number")) return required;
  const limits = type.kind === "int64" ? undefined : type.limits;
  const step = attribute("step", type.kind === "number" ? "any" : undefined);
  return [`type="number"`, ...required, ...attribute("min", limits?.min), ...attribute("max", limits?.max), ...step];
}

/**
 * Returns the pattern of an input, which includes its length limits; undefined without limits. For patterns, browsers
 * count code points, as the request's decoder does.
 */
function inputPattern({ min, max, pattern }: Limits = {}): string | undefined {
  if (min === undefined && max === undefined) return pattern;
  const length = `[\\s\\S]{${min ?? 0},${max ?? ""}}`;
  return pattern === undefined ? length : `(?=${length}$)(?:${pattern})`;
}

/** True if an empty control is refused. Browsers send its value as "", but nothing for an unchecked checkbox. */
function isRequired({ optional, list, type }: BoundField): boolean {
  if (optional || list || type.kind === "boolean") return false;
  if (type.kind !== "string") return true;
  if (type.literals !== undefined) return !type.literals.includes("");
  if (type.pattern !== undefined) return true;
  return type.limits !== undefined && missOf("", compileLimits(type.limits)) !== undefined;
}

function attribute(name: string, value: string | number | undefined): readonly string[] {
  if (value === undefined) return [];
  return [`${name}="${String(value).replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`];
}
