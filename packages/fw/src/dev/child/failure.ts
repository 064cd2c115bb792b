import { inspect } from "node:util";
import { isPlatformError } from "../../platform/errors.ts";
import { UnsetSecrets } from "../../runtime/secret.ts";
import type { Failure } from "../protocol.ts";
import { SourceError } from "./source-error.ts";

/** What a thrown value says, with the place in the application's source that it points at. */
export function failureOf(thrown: unknown, root: string): Failure {
  if (thrown instanceof SourceError) {
    const { path, line, column } = thrown;
    return { message: thrown.message, at: { path, line, column } };
  }
  // The sentences say what to do, and the application's code had no part in it.
  if (isPlatformError(thrown, "locked") || isPlatformError(thrown, "data") || thrown instanceof UnsetSecrets)
    return { message: thrown.message };
  if (!(thrown instanceof Error)) return { message: `the application threw ${inspectBriefly(thrown)}` };
  const stack = text(() => thrown.stack);
  const at = placeIn(stack ?? "", root);
  return { message: text(() => String(thrown)) ?? "Error", ...(at && { at }), ...(stack !== undefined && { stack }) };
}

/** The innermost frame inside the application. */
function placeIn(stack: string, root: string): Failure["at"] {
  for (const line of stack.split("\n")) {
    const frame = /^\s+at (?:.*\()?(\/[^()]*|[A-Za-z]:\\[^()]*):(\d+):(\d+)\)?$/.exec(line);
    const path = frame?.[1];
    if (path === undefined || !path.startsWith(root) || path.includes("node_modules")) continue;
    return { path, line: Number(frame?.[2]), column: Number(frame?.[3]) };
  }
  return undefined;
}

function inspectBriefly(value: unknown): string {
  return (text(() => (typeof value === "string" ? value : inspect(value))) ?? "a value").slice(0, 200);
}

/** A getter or toString of the application's own may throw in turn. */
function text(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
