import { inspect } from "node:util";
import { isA, textOf } from "../../lib/thrown.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { DeclarationMismatch } from "../../runtime/check-declarations.ts";
import { UnsetSecrets } from "../../runtime/secrets.ts";
import type { Failure } from "../protocol.ts";
import { SourceError } from "./source-error.ts";

/** Describes a thrown value and its location in the application's source. */
export function failureOf(thrown: unknown, root: string): Failure {
  if (isA(thrown, SourceError)) {
    const { path, line, column } = thrown;
    return { message: thrown.message, at: { path, line, column } };
  }
  // The messages of these errors say what to do, and changing the application's code does not help.
  if (isPlatformError(thrown, "locked") || isPlatformError(thrown, "data") || isA(thrown, UnsetSecrets))
    return { message: thrown.message, outside: true };
  if (!isA(thrown, Error)) return { message: `the application threw ${inspectBriefly(thrown)}` };
  const stack = textOf(() => thrown.stack);
  const at = sourceLocation(stack ?? "", root);
  const message = isA(thrown, DeclarationMismatch) ? thrown.message : (textOf(() => String(thrown)) ?? "Error");
  return { message: withCause(message), ...(at && { at }), ...(stack !== undefined && { stack }) };
}

/**
 * Explains a read before initialization: the message has the loader's internal name for the import, which means nothing
 * to the user.
 */
function withCause(message: string): string {
  const name = /^ReferenceError: Cannot access '(.+)' before initialization$/.exec(message)?.[1];
  if (name === undefined) return message;
  const what = name.startsWith("__vite_ssr_import_") ? "an import" : `'${name}'`;
  return `ReferenceError: Cannot access ${what} before initialization. Modules that import each other do not load at the same time: read the imported value inside a function that runs later, or move it to a module that both import`;
}

/** Finds the innermost stack frame in the application, skipping getters of exports. */
function sourceLocation(stack: string, root: string): Failure["at"] {
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
