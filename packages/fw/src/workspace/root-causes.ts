import { join } from "node:path";
import { readJSON } from "../lib/read-file.ts";
import { mistakeMessage } from "../analysis/schema/type-problem.ts";
import type { Diagnostic } from "../model/diagnostic.ts";

/** TypeScript's error codes for modules that it treats as CommonJS. */
const commonJS: ReadonlySet<string> = new Set(["ts1286", "ts1287", "ts1295", "ts1309", "ts1479"]);

/**
 * Drops problems that follow from another one: a missing fw, modules that are not ES modules, or types with TypeScript
 * errors.
 */
export function withoutConsequences(all: readonly Diagnostic[], isESModule: boolean): readonly Diagnostic[] {
  const hasTypeErrors = all.some(({ code }) => code.startsWith("ts"));
  const diagnostics = hasTypeErrors ? all.filter(({ message }) => message !== mistakeMessage) : all;
  const missing = diagnostics.find(
    ({ code, message }) => code === "ts2307" && message.startsWith("Cannot find module 'fw'"),
  );
  if (missing !== undefined) return [{ ...missing, code: "import", ...notInstalled }];
  const first = isESModule ? undefined : diagnostics.find(({ code }) => commonJS.has(code));
  if (first === undefined) return diagnostics;
  const others = diagnostics.filter(({ code }) => !commonJS.has(code));
  return others.toSpliced(diagnostics.indexOf(first), 0, { ...first, code: "import", ...notAModule });
}

const notInstalled = {
  message: '"fw" is not installed, so this application cannot be checked',
  hint: "run npm install; fw new <dir> creates an application with fw installed",
} as const;

const notAModule = {
  message: "the modules of an application must be ES modules, but package.json does not say so",
  hint: 'add "type": "module" to package.json',
} as const;

/** True if the package.json in a directory declares ES modules. */
export function isESModulePackage(root: string): boolean {
  const manifest = readJSON(join(root, "package.json")) as { readonly type?: unknown } | null | undefined;
  return manifest?.type === "module";
}
