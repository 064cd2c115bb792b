import { errorCodes, RequestError } from "../../lsp/protocol.ts";

/** A tool for agents. Its data defines both the list of tools and the validation of arguments. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly arguments: Readonly<Record<string, ToolArgument>>;
  /** True if it changes data or runs the application's code outside a test. */
  readonly writes?: true;
  run(values: ToolValues, context: ToolContext): Promise<string>;
}

export interface ToolArgument {
  readonly type: "string" | "integer" | "boolean" | "strings" | "objects";
  readonly description: string;
  readonly required?: true;
  /** The only accepted values of a string. */
  readonly values?: readonly string[];
}

/** Validated arguments, by name. */
export type ToolValues = Readonly<Record<string, unknown>>;

export interface ToolContext {
  /** Absolute path of the application. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the agent cancels the call or disconnects. */
  readonly signal: AbortSignal;
}

/** A problem that the agent should read, such as a server that is not running. */
export class ToolFailure extends Error {}

export function describeTool({ name, description, arguments: fields, writes }: Tool): object {
  const required = Object.keys(fields).filter((field) => fields[field]?.required);
  return {
    name,
    description,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(fields).map(([field, each]) => [field, schemaOf(each)])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: writes !== true, openWorldHint: false },
  };
}

function schemaOf({ type, description, values }: ToolArgument): object {
  if (type === "strings") return { type: "array", items: { type: "string" }, description };
  if (type === "objects") return { type: "array", items: { type: "object" }, description };
  return { type, ...(type === "integer" && { minimum: 1 }), ...(values && { enum: values }), description };
}

/** Validates the arguments of a call. Throws a RequestError that names the first invalid one. */
export function checkArguments({ name, arguments: fields }: Tool, values: unknown): ToolValues {
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw invalid(`the arguments of ${name} must be an object`);
  const record = values as ToolValues;
  const unknownName = Object.keys(record).find((field) => !Object.hasOwn(fields, field));
  if (unknownName !== undefined) {
    const names = Object.keys(fields).join(", ") || "none";
    throw invalid(`${name} has no argument "${unknownName}"; its arguments: ${names}`);
  }
  for (const [field, { type, required, values: accepted }] of Object.entries(fields)) {
    const value = record[field];
    if (value === undefined && required) throw invalid(`${name} needs "${field}"`);
    if (value !== undefined && !isOfType[type](value)) throw invalid(`"${field}" of ${name} is not ${typeNames[type]}`);
    if (accepted !== undefined && value !== undefined && accepted.every((each) => each !== value))
      throw invalid(`"${field}" of ${name} is not one of ${accepted.join(", ")}`);
  }
  return record;
}

const isOfType: Readonly<Record<ToolArgument["type"], (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  boolean: (value) => typeof value === "boolean",
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  objects: (value) => Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null),
};

const typeNames: Readonly<Record<ToolArgument["type"], string>> = {
  string: "a string",
  integer: "an integer of at least 1",
  boolean: "a boolean",
  strings: "a list of strings",
  objects: "a list of objects",
};

function invalid(message: string): RequestError {
  return new RequestError(errorCodes.invalidParams, message);
}
