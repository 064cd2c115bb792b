import { StatusError } from "../../declare/errors.ts";
import { clipped, quoted } from "../../lib/path-step.ts";
import { visible } from "../../lib/visible.ts";
import { messages } from "../error-messages.ts";

/** Thrown for a request without the declared shape: a 400 with the location and the reason. */
export class BadInput extends StatusError {
  /** The invalid field of a JSON object, or the field that contains the invalid value. */
  readonly field: string | undefined;

  constructor(message: string, details?: unknown, field?: string) {
    super(400, message, details);
    this.name = "BadInput";
    this.field = field;
  }
}

/**
 * Creates the error for a parameter that is not of the declared type. Shows its text unquoted, or not at all if it is
 * confidential.
 */
export function textIsNot(where: string, text: string, type: string): BadInput {
  if (isConfidential(where)) return new BadInput(messages.isNot(where, "the value", type));
  return new BadInput(messages.isNot(where, text === "" ? '""' : visible(clipped(text)), type));
}

/** True for cookies, and for headers whose names suggest a secret. No response or log may contain their values. */
function isConfidential(where: string): boolean {
  return /^(?:cookie |header .*(?:auth|token|secret|key|password|passwd|signature|session|credential|csrf))/i.test(
    where,
  );
}

/** Creates the error for a JSON value that is missing or not of the declared type. */
export function valueIsNot(where: string, value: unknown, type: string, field?: string): BadInput {
  if (value === undefined) return new BadInput(messages.required(where), undefined, field);
  const message = type === "never" ? messages.mustBeAbsent(where) : messages.isNot(where, asJSON(value), type);
  return new BadInput(message, undefined, field);
}

function asJSON(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : "[…]";
  if (typeof value === "object" && value !== null) return "{…}";
  return clipped(String(value));
}
