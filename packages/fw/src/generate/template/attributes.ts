import { nearest } from "../../lib/suggest.ts";
import { missOf, type Limits } from "../../lib/limited.ts";
import type { BoundField } from "../../model/request-shape.ts";
import { compileLimits } from "../limit-constants.ts";
import type { Expression, Mustache } from "./ast.ts";
import { describe, type Context } from "./context.ts";
import { TemplateError } from "./template-error.ts";

/** The fields that forms may send: the bound fields of every endpoint, by its route. */
export type FormRoutes = ReadonlyMap<string, readonly BoundField[]>;

/** A use of `{{attributes "POST /join" "email"}}` in an element. */
export interface AttributesUse {
  readonly route: string;
  readonly field: string;
  readonly tag: string;
}

/** Parses a use. Its arguments are literals, so that the compiler can resolve them. */
export function attributesUse({ params, hash }: Mustache, context: Context): AttributesUse {
  const [route, field, ...more] = params.map(stringValue);
  if (route === undefined || field === undefined || more.length > 0 || hash?.pairs.length)
    throw new TemplateError("{{attributes}} takes a route and a field name, both as string literals", usage);
  if (context.state !== "tag" || context.closing || !controls.has(context.tag))
    throw new TemplateError(
      `{{attributes}} is only allowed in an input, select or textarea, not ${describe(context)}`,
      usage,
    );
  return { route, field, tag: context.tag };
}

function stringValue(expression: Expression): string | undefined {
  return expression.type === "StringLiteral" ? String(expression.value) : undefined;
}

const usage = 'write <input name="email" {{attributes "POST /join" "email"}}>';
const controls: ReadonlySet<string> = new Set(["input", "select", "textarea"]);

/** The attributes that make a browser enforce a field's constraints on a control. */
export function attributesText({ route, field, tag }: AttributesUse, routes: FormRoutes): string {
  const fields = routes.get(route);
  if (fields === undefined)
    throw unknown(`no endpoint has the route ${JSON.stringify(route)}`, route, [...routes.keys()]);
  const inForms = fields.filter(({ source }) => source === "form" || source === "query");
  const boundField = inForms.find((bound) => bound.wire === field);
  if (boundField !== undefined) return controlAttributes(boundField, tag).join(" ");
  const names = inForms.map(({ wire }) => wire);
  throw unknown(`${route} has no form field ${JSON.stringify(field)}`, field, names);
}

function unknown(message: string, name: string, names: readonly string[]): TemplateError {
  const suggestion = nearest(name, names);
  const alternatives = names.length === 0 ? "no endpoint reads a form" : `available: ${names.slice(0, 8).join(", ")}`;
  return new TemplateError(message, suggestion === undefined ? alternatives : `did you mean ${suggestion}?`);
}

/** A select already restricts its values; a textarea has no type and no pattern. */
function controlAttributes(field: BoundField, tag: string): readonly string[] {
  const required = isRequired(field) ? ["required"] : [];
  if (tag === "select") return required;
  const { type } = field;
  if (type.kind === "string") {
    const { min, max, format } = type.limits ?? {};
    // Browsers count UTF-16 code units here, and a character has at most two.
    const longest = attribute("maxlength", max === undefined ? undefined : 2 * max);
    if (tag === "textarea") return [...required, ...attribute("minlength", min), ...longest];
    return [...attribute("type", format), ...required, ...longest, ...attribute("pattern", inputPattern(type.limits))];
  }
  if (tag === "textarea" || (type.kind !== "int" && type.kind !== "int64" && type.kind !== "number")) return required;
  const limits = type.kind === "int64" ? undefined : type.limits;
  const step = attribute("step", type.kind === "number" ? "any" : undefined);
  return [`type="number"`, ...required, ...attribute("min", limits?.min), ...attribute("max", limits?.max), ...step];
}

/** The pattern of an input, in which browsers count code points as the request's decoder does. */
function inputPattern({ min, max, pattern }: Limits = {}): string | undefined {
  if (min === undefined && max === undefined) return pattern;
  const length = `[\\s\\S]{${min ?? 0},${max ?? ""}}`;
  return pattern === undefined ? length : `(?=${length}$)(?:${pattern})`;
}

/** A browser sends an empty control as a blank, and an unchecked checkbox not at all. */
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
