import { missOf, type Limits } from "../lib/limited.ts";
import { compileLimits, type LimitConstants } from "./limit-constants.ts";
import { assertNever } from "../lib/assert-never.ts";
import { bindings, type BindingSource } from "../model/bindings.ts";
import type { BoundField, Scalar } from "../model/request-shape.ts";
import { text } from "./text.ts";
import { scalarWords } from "./type-words.ts";

interface Reads {
  readonly limits: LimitConstants;
  /** The name of the function that checks the limits of a value. */
  readonly limited: string;
  readonly item: (read: string) => string;
}

/**
 * Generates statements that define `name` as the field's value, or undefined if an optional one is absent. `segment`
 * counts path parameters from 0.
 */
export function readBound(field: BoundField, segment: number, name: string, limits: LimitConstants): readonly string[] {
  return boundLines(field, segment, name, { limits, limited: "limited", item: (read) => read });
}

/** Generates statements that add each problem of the field to `p` or throw it. Empty if every value is valid. */
export function checkBound(field: BoundField, segment: number, limits: LimitConstants): readonly string[] {
  const lines = boundLines(field, segment, "b", { limits, limited: "p.within", item: attemptText });
  // Only reads that can refuse a value contain the location for a message.
  return lines.some((line) => line.includes(placeOf(field))) ? [...sharedReads([field]), ...lines] : [];
}

function attemptText(read: string): string {
  return `p.attempt(() => ${read})`;
}

function placeOf({ source, wire }: BoundField): string {
  return text(`${source} ${wire}`);
}

function boundLines(field: BoundField, segment: number, name: string, reads: Reads): readonly string[] {
  const where = placeOf(field);
  if (isOptionalScalar(field)) {
    const present = scalar(field.type, `${name}t`, where, reads);
    return [
      `const ${name}t = ${notBlank(field, where)};`,
      `const ${name} = ${name}t === undefined ? undefined : ${present};`,
    ];
  }
  return [`const ${name} = ${value(field, segment, where, reads)};`];
}

function value(field: BoundField, segment: number, where: string, reads: Reads): string {
  if (field.source === "path") return scalar(field.type, `raw.params[${segment}]`, where, reads);
  if (field.list) {
    const texts = values(field, where, reads);
    const list = field.optional ? texts : `${texts} ?? []`;
    return field.items === undefined
      ? list
      : `${reads.limited}(${list}, ${where}, ${reads.limits.nameOf(field.items)})`;
  }
  if (field.type.kind === "blob") return required(field, `formFile(raw.form, ${text(field.wire)}, ${where})`, where);
  return scalar(field.type, required(field, firstText(field, where), where), where, reads);
}

/** Generates statements whose results are shared by several fields. */
export function sharedReads(fields: readonly BoundField[]): readonly string[] {
  return fields.some((field) => field.source === "query") ? ["const query = queryPairs(raw.query);"] : [];
}

function values(field: BoundField, where: string, reads: Reads): string {
  const texts = allTexts(field, where);
  const checked = scalar(field.type, "t", where, reads);
  return checked === "t" ? texts : `${texts}?.map((t) => ${reads.item(checked)})`;
}

interface Texts {
  /** Returns an expression for the only string that a request may have under a name. */
  readonly one: (wire: string, where: string) => string;
  /** Returns an expression for all strings under a name, if the source supports lists. */
  readonly all?: (wire: string, where: string) => string;
}

/** Expressions that read each source, except path segments, which are read by position. */
const textsOf: Readonly<Record<Exclude<BindingSource, "path">, Texts>> = {
  query: {
    one: (wire, where) => `queryText(query, ${wire}, ${where})`,
    all: (wire, where) => `queryList(query, ${wire}, ${where})`,
  },
  form: { one: (wire) => `formText(raw.form, ${wire})`, all: (wire) => `formList(raw.form, ${wire})` },
  header: {
    one: (wire, where) => `headerText(raw.fields, ${wire}, ${where})`,
    all: (wire) => `headerList(raw.fields, ${wire})`,
  },
  cookie: { one: (wire, where) => `cookieText(raw.fields, ${wire}, ${where})` },
};

function allTexts(field: BoundField, where: string): string {
  const all = field.source === "path" ? undefined : textsOf[field.source].all;
  if (all === undefined) throw new Error(`${bindings[field.source].carrier} carries no list`);
  return all(text(field.wire), where);
}

function firstText(field: BoundField, where: string): string {
  if (field.source === "path") throw new Error("a segment of a path has no name");
  return textsOf[field.source].one(text(field.wire), where);
}

function required(field: BoundField, value: string, where: string): string {
  return field.optional ? value : `required(${value}, ${where})`;
}

function isOptionalScalar(field: BoundField): boolean {
  const { type } = field;
  const isText =
    type.kind === "string" && type.literals === undefined && type.pattern === undefined && type.limits === undefined;
  return field.optional && !field.list && !isText && field.type.kind !== "blob";
}

/**
 * Generates an expression that treats a blank value as absent, because forms send untouched fields as blanks. Literals
 * and limits of the field may allow a blank.
 */
function notBlank(field: BoundField, where: string): string {
  const { type } = field;
  const takesBlank = type.kind === "string" && (type.literals?.includes("") || allowsText("", type.limits));
  return takesBlank ? firstText(field, where) : `unlessBlank(${firstText(field, where)})`;
}

function allowsText(text: string, limits: Limits | undefined): boolean {
  return limits !== undefined && missOf(text, compileLimits(limits)) === undefined;
}

function scalar(type: Scalar, value: string, where: string, reads: Reads): string {
  const limits = "limits" in type ? type.limits : undefined;
  const free = unlimitedScalar(type, value, where);
  return limits === undefined ? free : `${reads.limited}(${free}, ${where}, ${reads.limits.nameOf(limits)})`;
}

function unlimitedScalar(type: Scalar, value: string, where: string): string {
  const words = text(scalarWords(type));
  switch (type.kind) {
    case "string":
      if (type.pattern !== undefined) return `ofPattern(${value}, ${where}, ${JSON.stringify(type.pattern)}, ${words})`;
      return type.literals === undefined
        ? value
        : `oneOf(${value}, ${where}, ${JSON.stringify(type.literals)}, ${words})`;
    case "boolean":
      return `toBoolean(${value}, ${where})`;
    case "int64":
      return `toInt64(${value}, ${where})`;
    case "int":
    case "number": {
      const parse = type.kind === "int" ? "toInt" : "toNumber";
      if (type.literals === undefined) return `${parse}(${value}, ${where})`;
      return `oneOfNumbers(${value}, ${where}, ${JSON.stringify(type.literals)}, ${words})`;
    }
    case "blob":
      return value;
    default:
      return assertNever(type);
  }
}
