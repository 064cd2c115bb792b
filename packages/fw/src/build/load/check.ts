import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readText } from "../../lib/read-file.ts";
import { relativePath } from "../../lib/relative-path.ts";
import { listOf } from "../../lib/suggest.ts";
import type { BuiltService } from "../build.ts";
import type { BundleMemo } from "../memo.ts";
import { loadBundle, type LoadResult } from "./load.ts";
import type { LoadFailure } from "./report.ts";

/** Node's exit code for a top-level await that never settles. */
const unsettledAwait = 13;

/** Variables that libraries read but do not require. */
const commonVariables = /^(?:NODE_\w*|npm_\w*|DEBUG|NO_COLOR|FORCE_COLOR|COLORTERM|TERM|CI|HTTPS?_PROXY|NO_PROXY)$/i;

const mostNames = 3;

const frames = /(?:\(|at )((?:file:\/\/)?\/[^()\n]*?|[A-Z]:\\[^()\n]*?):(\d+):\d+/g;

export interface LoadCheck {
  /** The application's directory, absolute. */
  readonly root: string;
  /** The absolute path of the new services. */
  readonly newServices: string;
  /** The directory of the previous build's services, which passed this check. */
  readonly previousServices: string;
  /** Bundles that earlier commands of this process have loaded. */
  readonly memo: BundleMemo | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads every service once, as its process does at startup, and returns the reasons why bundles do not load. Skips
 * services that this process has loaded or whose files have not changed since the previous build.
 */
export async function loadServices(
  services: readonly BuiltService[],
  { root, newServices: fresh, previousServices: before, memo, env }: LoadCheck,
): Promise<readonly LoadProblem[]> {
  const changed = services.filter(
    (service) => !hasLoaded(memo, service) && !isUnchanged(join(before, service.service.name), service),
  );
  const problems: LoadProblem[] = [];
  const queue = changed.values();
  const work = async (): Promise<void> => {
    for (const { service, files } of queue) {
      const result = await loadBundle(join(fresh, service.name, "main.js"), env);
      const problem = loadProblem(root, service.name, result);
      if (problem) problems.push(problem);
      else if (files[0]) memo?.loaded.add(files[0]);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return problems.toSorted((one, other) => (one.service < other.service ? -1 : 1));
}

function hasLoaded(memo: BundleMemo | undefined, { files: [first], runtimeFiles }: BuiltService): boolean {
  return runtimeFiles.length === 0 && first !== undefined && memo?.loaded.has(first) === true;
}

function isUnchanged(directory: string, { files, runtimeFiles }: BuiltService): boolean {
  if (runtimeFiles.length > 0) return false;
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(".js"));
    const code = files.filter(({ name }) => name.endsWith(".js"));
    return names.length === code.length && code.every(({ name, text }) => readText(join(directory, name)) === text);
  } catch {
    return false;
  }
}

/** The reason why a bundle did not load. */
interface LoadProblem {
  readonly service: string;
  readonly text: string;
  /** True if the cause may be this machine's environment, such as a variable that is only set in production. */
  readonly isEnvironment: boolean;
}

/** Explains why a bundle did not load; returns undefined if it did. */
function loadProblem(root: string, service: string, result: LoadResult): LoadProblem | undefined {
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

/**
 * True for errors that no missing environment variable can cause. The class of an error alone does not decide:
 * `JSON.parse(undefined)` throws a SyntaxError, and `import(undefined)` finds no module.
 */
function isDefect({ name, code, message, stack }: LoadFailure): boolean {
  if (code === "ERR_MODULE_NOT_FOUND") return !/\bundefined\b/.test(message);
  if (name === "SyntaxError") return isThrownByLoader(stack);
  if (name === "ReferenceError") return /(?: is not defined|before initialization)$/.test(message);
  return name === "DeclarationMismatch";
}

/** True if Node threw the error while compiling or linking a module, and not while running code. */
function isThrownByLoader(stack: string): boolean {
  return /^ +at .*$/m.exec(stack)?.[0].includes("node:internal/modules/") ?? true;
}

function unsetVariables(read: readonly string[]): readonly string[] {
  return read.filter((name) => !commonVariables.test(name));
}

function unsetText(unset: readonly string[]): string {
  if (unset.length === 0) return "";
  const verb = unset.length === 1 ? "is" : "are";
  return ` (it reads ${listOf(unset.slice(0, mostNames), "and")}, which ${verb} not set here)`;
}

function hintFor({ name, message }: LoadFailure): string {
  if (name !== "ReferenceError" || !message.includes("before initialization")) return "";
  return "\ntwo modules import each other and need this value before it exists: move it to a module that both import, or read it inside a function";
}

/** Returns the first stack frame in the application's own code, as `path:line`; undefined if there is none. */
function sourceLine(root: string, stack: string): string | undefined {
  for (const [, file = "", line = ""] of stack.matchAll(frames)) {
    const path = relativePath(root, file.startsWith("file:") ? fileURLToPath(file) : file);
    if (!/^\.\.|^\.fw\/|node_modules\//.test(path)) return `${path}:${line}`;
  }
  return undefined;
}
