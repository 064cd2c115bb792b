// Determines how a form shows a value of a schema.

import { ExactNumber } from "../parts/json.js";
import { localText } from "./date-input.js";

/** The depth of groups, and the number of items and characters, beyond which a value is shown as JSON. */
const deepestGroup = 3;
const mostItems = 50;
const mostCharacters = 100_000;

/** Names of the kinds of values in the list of choices. */
const kindNames = {
  string: "text",
  number: "number",
  int: "number",
  int64: "integer",
  date: "date",
  array: "list",
  record: "map",
  object: "object",
};

/** The choice for values that have no other control. */
export const jsonChoice = { label: "JSON", schema: { kind: "json" } };

const constant = (label, value) => ({ label, isConstant: true, value });

/** Labels of choices that are not literals. */
const labels = new Set(["absent", "null", "true", "false", "JSON", ...Object.values(kindNames)]);

function resolve(schema, types) {
  return schema.kind === "ref" ? types[schema.id] : schema;
}

/**
 * Returns the choices for a value: constants, such as `absent`, `null` and literals, and kinds of values with a control
 * of their own.
 */
export function choicesOf(schema, { isOptional, depth, types }) {
  const absent = isOptional ? [constant("absent", undefined)] : [];
  const variants = variantsOf(schema, types, new Set());
  if (variants.some(({ kind }) => kind === "json")) return [...absent, jsonChoice];
  const constants = variants.flatMap(({ kind, value }) => {
    if (kind === "null") return [constant("null", null)];
    if (kind === "boolean" && (isOptional || variants.length > 1))
      return [constant("true", true), constant("false", false)];
    return kind === "literal" ? [constant(literalLabel(value), value)] : [];
  });
  const kinds = merged(variants.filter(({ kind }) => kind !== "null" && kind !== "literal" && kind !== "never"));
  const controls = kinds
    .filter(({ kind }) => kind !== "boolean" || constants.length === 0)
    .map((variant) => (isShown(variant, depth) ? { label: kindNames[variant.kind], schema: variant } : jsonChoice));
  const choices = [...absent, ...constants, ...labelVariants(controls, resolve(schema, types).tag, types)];
  return choices.filter(({ label }, i) => choices.findIndex((each) => each.label === label) === i);
}

/**
 * Labels a literal. A text that starts with a letter gets no quotes, unless the label would look like another choice;
 * other literals are shown as JSON.
 */
function literalLabel(value) {
  return typeof value === "string" && /^[A-Za-z]/.test(value) && !labels.has(value) ? value : JSON.stringify(value);
}

/** True if a choice can show a value without changing it. */
export function fits({ isConstant, value: constantValue, schema, tag, tagValues }, value) {
  if (isConstant) return value === constantValue;
  if (value === undefined) return false;
  if (tag !== undefined) return isObject(value) && tagValues.includes(value[tag]);
  return shows[schema.kind](value);
}

const shows = {
  json: () => true,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string" && value.length <= mostCharacters,
  number: isNumber,
  int: isNumber,
  int64: (value) => (value instanceof ExactNumber ? /^-?\d+$/.test(value.text) : Number.isInteger(value)),
  date: (value) => typeof value === "string" && localText(value) !== undefined,
  array: (value) => Array.isArray(value) && value.length <= mostItems,
  record: (value) => isObject(value) && Object.keys(value).length <= mostItems,
  object: isObject,
};

function isNumber(value) {
  return Number.isFinite(value instanceof ExactNumber ? value.rounded : value);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

function isShown({ kind }, depth) {
  const isGroup = kind === "object" || kind === "array" || kind === "record";
  return kind === "boolean" || (kind in kindNames && !(isGroup && depth > deepestGroup));
}

/** Returns a type's variants. Resolves named types and flattens nested unions. Omits a named type inside itself. */
function variantsOf(schema, types, visited) {
  if (schema.kind === "ref") {
    if (visited.has(schema.id)) return [];
    return variantsOf(types[schema.id], types, new Set([...visited, schema.id]));
  }
  return schema.kind === "union" ? schema.variants.flatMap((each) => variantsOf(each, types, visited)) : [schema];
}

/**
 * Combines variants whose values look alike: scalars into one without constraints, lists and maps into JSON. Keeps
 * objects.
 */
function merged(variants) {
  const alike = ({ kind }) => (kind === "int" ? "number" : kind);
  return variants.flatMap((variant, i) => {
    const others = variants.filter((each) => alike(each) === alike(variant));
    if (others.length === 1 || variant.kind === "object") return [variant];
    if (others[0] !== variants[i]) return [];
    return ["array", "record", "tuple"].includes(variant.kind) ? [{ kind: "json" }] : [{ kind: alike(variant) }];
  });
}

/** Labels objects with the literal that distinguishes them. Without one, several objects are shown as JSON. */
function labelVariants(controls, tag, types) {
  const objects = controls.filter(({ schema }) => schema.kind === "object" || schema.kind === "record");
  if (objects.length < 2) return controls;
  const valuesOf = ({ schema }) => {
    const field = schema.fields?.find(({ name, optional }) => name === tag && !optional);
    const values = field === undefined ? [] : variantsOf(field.schema, types, new Set());
    return values.every(({ kind }) => kind === "literal") ? values.map(({ value }) => value) : [];
  };
  const all = objects.flatMap(valuesOf);
  const isTagged = objects.every((each) => valuesOf(each).length > 0) && new Set(all).size === all.length;
  return controls.map((each) => {
    if (!objects.includes(each)) return each;
    if (!isTagged) return jsonChoice;
    return { ...each, label: `${tag} ${valuesOf(each).join(" or ")}`, tag, tagValues: valuesOf(each) };
  });
}

/** Describes the constraints of a value in words; "" if there are none. */
export function constraintsOf({ kind, limits = {}, keys, pattern }) {
  const { min, max, format, pattern: expression } = limits;
  const unit = { string: " characters", array: " items" }[kind] ?? "";
  const bounds =
    min !== undefined && min === max
      ? [`exactly ${min}${unit}`]
      : [min !== undefined && `at least ${min}${unit}`, max !== undefined && `at most ${max}${unit}`];
  const words = [
    { int: "a whole number", int64: "a 64-bit integer" }[kind],
    ...bounds,
    { email: "an email address", url: "a URL that begins with https:// or http://" }[format],
    expression !== undefined && `must match ${expression}`,
    pattern !== undefined && `such as ${pattern.texts.map((text, i) => text + (pattern.holes[i] ? "…" : "")).join("")}`,
    keys !== undefined && "with limited keys",
  ];
  return words.filter(Boolean).join(", ");
}

/** Formats the path to a member of a value as messages of the server do, such as `contact.number` or `lines[0]`. */
export function joinPath(path, key) {
  if (typeof key === "number") return `${path}[${key}]`;
  if (/^[A-Za-z_$][\w$]{0,63}$/.test(key)) return path === "" ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key)}]`;
}
