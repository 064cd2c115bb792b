import { fileURLToPath } from "node:url";
import { relativePath } from "../../lib/relative-path.ts";
import { listOf } from "../../lib/suggest.ts";
import type { LoadResult } from "./load.ts";
import type { LoadFailure } from "./report.ts";

/** The reason why a bundle did not load. */
export interface LoadProblem {
  readonly service: string;
  readonly text: string;
  /** True if the cause may be this machine, such as an environment variable that is only set in production. */
  readonly isEnvironment: boolean;
}

/** Returns undefined for a bundle that loaded. */
export function loadProblem(root: string, service: string, result: LoadResult): LoadProblem | undefined {
  if (result.kind === "loaded") return undefined;
  if (result.kind === "failed") return failureProblem(root, service, result);
  if (result.kind === "timeout") {
    const text = `the service ${service} was still loading after ${result.ms / 1_000} s, so fw build cannot tell whether it starts`;
    return { service, text, isEnvironment: true };
  }
  if (result.kind === "ended") return problemOf(service, endText(result.exitCode) + outputText(result.output), false);
  const unset = unsetVariables(result.unset);
  const what = `its code ends the process with exit code ${result.exitCode}${unsetText(unset)}${outputText(result.output)}`;
  return problemOf(service, what, unset.length > 0);
}

function problemOf(service: string, what: string, isEnvironment: boolean): LoadProblem {
  return { service, text: `cannot load the service ${service}: ${what}`, isEnvironment };
}

/** Node's exit code for a top-level await that never settles. */
const unsettledAwait = 13;

function endText(exitCode: number | null): string {
  if (exitCode === unsettledAwait) return "a module awaits something at its top level that never settles";
  return exitCode === null ? "its process was killed" : `its process ended with exit code ${exitCode}`;
}

function outputText(output: string): string {
  return output === "" ? "" : `\n${output}`;
}

function failureProblem(root: string, service: string, failure: LoadFailure): LoadProblem {
  const at = sourceLine(root, failure.stack);
  const what = `${at === undefined ? "" : `${at}: `}${failure.message}`;
  const unset = isDefect(failure) ? [] : unsetVariables(failure.unset);
  return problemOf(service, what + unsetText(unset) + hintFor(failure), unset.length > 0);
}

/** Errors that no environment variable causes. */
function isDefect({ name, code }: LoadFailure): boolean {
  return ["ReferenceError", "SyntaxError", "DeclarationMismatch"].includes(name) || code === "ERR_MODULE_NOT_FOUND";
}

/** Variables that libraries read but do not require. */
const commonVariables = /^(?:NODE_\w*|npm_\w*|DEBUG|NO_COLOR|FORCE_COLOR|COLORTERM|TERM|CI|HTTPS?_PROXY|NO_PROXY)$/i;

function unsetVariables(read: readonly string[]): readonly string[] {
  return read.filter((name) => !commonVariables.test(name));
}

const mostNames = 3;

function unsetText(unset: readonly string[]): string {
  if (unset.length === 0) return "";
  const verb = unset.length === 1 ? "is" : "are";
  return ` (it reads ${listOf(unset.slice(0, mostNames), "and")}, which ${verb} not set here)`;
}

function hintFor({ name, message }: LoadFailure): string {
  if (name !== "ReferenceError" || !message.includes("before initialization")) return "";
  return "\ntwo modules import each other and need this value before it exists: move it to a module that both import, or read it inside a function";
}

const frames = /(?:\(|at )((?:file:\/\/)?\/[^()\n]*?|[A-Z]:\\[^()\n]*?):(\d+):\d+/g;

/** The first stack frame in the application's own code, as `path:line`. */
function sourceLine(root: string, stack: string): string | undefined {
  for (const [, file = "", line = ""] of stack.matchAll(frames)) {
    const path = relativePath(root, file.startsWith("file:") ? fileURLToPath(file) : file);
    if (!/^\.\.|^\.fw\/|node_modules\//.test(path)) return `${path}:${line}`;
  }
  return undefined;
}
