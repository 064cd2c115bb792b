import { join } from "node:path";
import { readJSON } from "../lib/read-file.ts";
import type { Diagnostic } from "../model/diagnostic.ts";

/** What TypeScript says of modules that it takes for CommonJS. */
const commonJS: ReadonlySet<string> = new Set(["ts1286", "ts1287", "ts1295", "ts1309", "ts1479"]);

/** Findings without those that only follow from another: where fw is not there, and where modules are no ES modules. */
export function withoutConsequences(found: readonly Diagnostic[], isModule: boolean): readonly Diagnostic[] {
  const missing = found.find(({ code, message }) => code === "ts2307" && message.startsWith("Cannot find module 'fw'"));
  if (missing !== undefined) return [{ ...missing, code: "import", ...notInstalled }];
  const first = isModule ? undefined : found.find(({ code }) => commonJS.has(code));
  if (first === undefined) return found;
  const others = found.filter(({ code }) => !commonJS.has(code));
  return others.toSpliced(found.indexOf(first), 0, { ...first, code: "import", ...notAModule });
}

const notInstalled = {
  message: '"fw" is not installed, so nothing can be said of this application',
  hint: "npm install, where package.json names it; fw new <dir> makes an application that has it",
} as const;

const notAModule = {
  message: "the modules of an application are ES modules, and package.json does not say so",
  hint: 'write "type": "module" into package.json',
} as const;

/** Whether the package in a directory says that its modules are ES modules. */
export function isModule(root: string): boolean {
  const manifest = readJSON(join(root, "package.json")) as { readonly type?: unknown } | null | undefined;
  return manifest?.type === "module";
}
