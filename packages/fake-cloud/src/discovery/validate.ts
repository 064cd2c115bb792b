import { badRequest, type Violation } from "../errors.ts";
import type { Document, Parameter, Schema } from "./document.ts";
import type { Route } from "./routes.ts";

/** Returns the method's own query parameters by name. Refuses unknown, invalid, repeated and missing ones. */
export function validQuery(route: Route, search: URLSearchParams): Query {
  const { document, method } = route;
  const violations: Violation[] = [];
  const query: Record<string, readonly string[]> = {};
  for (const name of new Set(search.keys())) {
    if (name.startsWith("$") || name in document.parameters) continue;
    const parameter = method.parameters[name];
    if (!parameter || parameter.location !== "query") {
      violations.push({
        description: `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`,
      });
      continue;
    }
    const values = search.getAll(name);
    query[name] = values;
    violations.push(...values.flatMap((value) => wrongText(name, parameter, value)));
    if (values.length > 1 && !parameter.repeated) {
      violations.push(wrongValue(name, parameter, values.join(",")));
    }
  }
  for (const [name, parameter] of Object.entries(method.parameters)) {
    if (parameter.location === "query" && parameter.required && !search.get(name)) {
      violations.push({ field: name, description: `Required parameter: ${name}` });
    }
  }
  if (violations.length > 0) throw badRequest(violations);
  return query;
}

/** The values of a query; a parameter that is not repeated has only one. */
export type Query = Readonly<Record<string, readonly string[]>>;

/** Refuses a JSON body that the method does not describe. */
export function validBody(route: Route, body: unknown): void {
  const { request } = route.method;
  if (!request) {
    if (body !== undefined && !isEmptyObject(body)) {
      throw badRequest([
        { description: "Invalid JSON payload received. Unknown name: Root element must be a message." },
      ]);
    }
    return;
  }
  if (body === undefined) return;
  const violations = wrongParts(route.document, { $ref: request.$ref }, body, "");
  if (violations.length > 0) throw badRequest(violations);
}

function wrongText(name: string, parameter: Parameter, text: string): Violation[] {
  const number = Number(text);
  const isValue =
    parameter.enum !== undefined
      ? parameter.enum.includes(text) || /^\d+$/.test(text)
      : parameter.type === "boolean"
        ? text === "true" || text === "false"
        : parameter.type === "integer"
          ? isInteger(number, parameter.format)
          : parameter.type === "number"
            ? text !== "" && !Number.isNaN(number)
            : isString(text, parameter.format);
  return isValue ? [] : [wrongValue(name, parameter, text)];
}

/** Returns what is invalid in a value, in the words of Google's front end; empty if it is valid. */
function wrongParts(document: Document, schema: Schema, value: unknown, path: string): Violation[] {
  if (schema.$ref !== undefined) {
    const target = document.schemas[schema.$ref];
    if (!target) throw new Error(`no schema ${schema.$ref} in ${document.name}`);
    return wrongParts(document, target, value, path);
  }
  if (value === null) return [];
  if (schema.type === "array") {
    if (!Array.isArray(value)) return [wrongValue(path, schema, value)];
    return value.flatMap((item, at) => wrongParts(document, schema.items ?? {}, item, `${path}[${at}]`));
  }
  if (schema.type === "object") return wrongMembers(document, schema, value, path);
  return isScalar(schema, value) ? [] : [wrongValue(path, schema, value)];
}

function wrongMembers(document: Document, schema: Schema, value: unknown, path: string): Violation[] {
  if (typeof value !== "object" || Array.isArray(value) || value === null) return [wrongValue(path, schema, value)];
  return Object.entries(value).flatMap(([name, member]) => {
    const memberSchema = memberOf(schema, name);
    if (memberSchema)
      return wrongParts(document, memberSchema, member, path === "" ? snake(name) : `${path}.${snake(name)}`);
    const where = path === "" ? "" : ` at '${path}'`;
    return [
      {
        ...(path !== "" && { field: path }),
        description: `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`,
      },
    ];
  });
}

/** Finds a field's schema by its JSON or protocol buffer name, or else the schema of additional fields. */
function memberOf(schema: Schema, name: string): Schema | undefined {
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  const camel = name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(properties, camel) ? properties[camel] : additionalProperties;
}

function isScalar(schema: Schema, value: unknown): boolean {
  if (schema.type === "any" || schema.type === undefined) return true;
  if (schema.enum) return typeof value === "string" ? schema.enum.includes(value) : Number.isInteger(value);
  if (schema.type === "boolean") return typeof value === "boolean";
  if (schema.type === "integer") {
    return typeof value === "number"
      ? isInteger(value, schema.format)
      : typeof value === "string" && /^-?\d+$/.test(value);
  }
  if (schema.type === "number") {
    return typeof value === "number" || (typeof value === "string" && /^(?:-?Infinity|NaN|-?\d.*)$/.test(value));
  }
  if (typeof value === "number") return schema.format === "int64" || schema.format === "uint64";
  return typeof value === "string" && isString(value, schema.format);
}

function isInteger(value: number, format: string | undefined): boolean {
  if (!Number.isInteger(value)) return false;
  return format === "uint32" ? value >= 0 && value < 2 ** 32 : value >= -(2 ** 31) && value < 2 ** 31;
}

function isString(text: string, format: string | undefined): boolean {
  if (format === "int64") return /^-?\d+$/.test(text) && inRange(BigInt(text), -(2n ** 63n), 2n ** 63n);
  if (format === "uint64") return /^\d+$/.test(text) && inRange(BigInt(text), 0n, 2n ** 64n);
  if (format === "google-duration") return /^-?\d{1,12}(?:\.\d{1,9})?s$/.test(text);
  if (format === "google-datetime" || format === "date-time") {
    return (
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
    );
  }
  if (format === "byte") return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replaceAll("=", "").length % 4 !== 1;
  return true;
}

function inRange(value: bigint, from: bigint, below: bigint): boolean {
  return value >= from && value < below;
}

function wrongValue(path: string, schema: Schema, value: unknown): Violation {
  return { field: path, description: `Invalid value at '${path}' (${typeName(schema)}), ${JSON.stringify(value)}` };
}

/** Returns the type's name in Google's front end. */
function typeName(schema: Schema): string {
  if (schema.enum) return "TYPE_ENUM";
  if (schema.type === "boolean") return "TYPE_BOOL";
  if (schema.type === "integer") return schema.format === "uint32" ? "TYPE_UINT32" : "TYPE_INT32";
  if (schema.type === "number") return schema.format === "float" ? "TYPE_FLOAT" : "TYPE_DOUBLE";
  if (schema.type === "string") return stringTypes[schema.format ?? ""] ?? "TYPE_STRING";
  return schema.id === undefined ? "TYPE_MESSAGE" : `type.googleapis.com/${schema.id}`;
}

const stringTypes: Readonly<Record<string, string>> = {
  int64: "TYPE_INT64",
  uint64: "TYPE_UINT64",
  byte: "TYPE_BYTES",
  "google-duration": "type.googleapis.com/google.protobuf.Duration",
  "google-datetime": "type.googleapis.com/google.protobuf.Timestamp",
  "google-fieldmask": "type.googleapis.com/google.protobuf.FieldMask",
};

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
