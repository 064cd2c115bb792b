import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { printText } from "../print/text.ts";

/** What is wrong with an application, as `fw check` prints it. */
export function printRefusal(root: string, diagnostics: readonly Diagnostic[], colour: boolean): string {
  return printText(diagnostics, { colour, source: (path) => readText(join(root, path)) });
}

/** One sentence for what does not run because of it. */
export function refusal(diagnostics: readonly Diagnostic[]): string {
  const count = diagnostics.length === 1 ? "a problem" : `${diagnostics.length} problems`;
  return `the application has ${count}, so no test was run; "fw check" shows what`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
