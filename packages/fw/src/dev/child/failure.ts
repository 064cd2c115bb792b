import { inspect } from "node:util";
import { isA, textOf } from "../../lib/thrown.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { DeclarationMismatch } from "../../runtime/check-declarations.ts";
import { UnsetSecrets } from "../../runtime/secrets.ts";
import type { Failure } from "../protocol.ts";
import { SourceError } from "./source-error.ts";

/** What a thrown value says, with the place in the application's source that it points at. */
export function failureOf(thrown: unknown, root: string): Failure {
  if (isA(thrown, SourceError)) {
    const { path, line, column } = thrown;
    return { message: thrown.message, at: { path, line, column } };
  }
  // The sentences say what to do, and the application's code had no part in it.
  if (isPlatformError(thrown, "locked") || isPlatformError(thrown, "data") || isA(thrown, UnsetSecrets))
    return { message: thrown.message, outside: true };
  if (!isA(thrown, Error)) return { message: `the application threw ${inspectBriefly(thrown)}` };
  const stack = textOf(() => thrown.stack);
  const at = placeIn(stack ?? "", root);
  const message = isA(thrown, DeclarationMismatch) ? thrown.message : (textOf(() => String(thrown)) ?? "Error");
  return { message: withCause(message), ...(at && { at }), ...(stack !== undefined && { stack }) };
}

/** An import that is not there yet has a name of the loader's, and its reason is in no line that a reader sees. */
function withCause(message: string): string {
  const name = /^ReferenceError: Cannot access '(.+)' before initialization$/.exec(message)?.[1];
  if (name === undefined) return message;
  const what = name.startsWith("__vite_ssr_import_") ? "an import" : `'${name}'`;
  return `ReferenceError: Cannot access ${what} before initialization. Where modules import each other in a circle, one is loaded before the other: read what is imported inside a function that runs later, or move it into a module that both import`;
}

/** The innermost frame inside the application, where more is written than that a name is exported. */
function placeIn(stack: string, root: string): Failure["at"] {
  for (const line of stack.split("\n")) {
    if (/^\s+at (?:Module|Object)\.get \[as /.test(line)) continue;
    const frame = /^\s+at (?:.*\()?(\/[^()]*|[A-Za-z]:\\[^()]*):(\d+):(\d+)\)?$/.exec(line);
    const path = frame?.[1];
    if (path === undefined || !path.startsWith(root) || path.includes("node_modules")) continue;
    return { path, line: Number(frame?.[2]), column: Number(frame?.[3]) };
  }
  return undefined;
}

function inspectBriefly(value: unknown): string {
  return (textOf(() => (typeof value === "string" ? value : inspect(value))) ?? "a value").slice(0, 200);
}
