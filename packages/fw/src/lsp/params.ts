import { isObject } from "../lib/record-in.ts";
import { errorCodes, type Position, type Range, RequestError } from "./protocol.ts";

/** Parameters from a client, unchecked. */
export type Params = Readonly<Record<string, unknown>>;

export function objectIn(params: unknown, name: string): Params {
  const value = isObject(params) ? params[name] : undefined;
  return isObject(value) ? value : invalidParam(name, "an object");
}

export function textIn(params: unknown, name: string): string {
  const value = isObject(params) ? params[name] : undefined;
  return typeof value === "string" ? value : invalidParam(name, "a string");
}

export function numberIn(params: unknown, name: string): number {
  const value = isObject(params) ? params[name] : undefined;
  return typeof value === "number" && Number.isSafeInteger(value) ? value : invalidParam(name, "an integer");
}

/** Reads a list parameter; an absent list is empty. */
export function listIn(params: unknown, name: string): readonly unknown[] {
  const value = isObject(params) ? (params[name] ?? []) : undefined;
  return Array.isArray(value) ? (value as readonly unknown[]) : invalidParam(name, "a list");
}

export function positionIn(params: unknown, name: string): Position {
  const position = objectIn(params, name);
  const [line, character] = [numberIn(position, "line"), numberIn(position, "character")];
  return line < 0 || character < 0 ? invalidParam(name, "a position") : { line, character };
}

export function rangeIn(params: unknown): Range {
  const range = objectIn(params, "range");
  return { start: positionIn(range, "start"), end: positionIn(range, "end") };
}

function invalidParam(name: string, what: string): never {
  throw new RequestError(errorCodes.invalidParams, `"${name}" is not ${what}`);
}
