import type { Diagnostic } from "../../model/diagnostic.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { printGithub } from "./github.ts";
import { printJson } from "./json.ts";
import { printSarif } from "./sarif.ts";
import { printText, type TextOptions } from "./text.ts";

/** The forms that diagnostics are printed in. */
export const diagnosticFormats = ["text", "json", "sarif", "github"] as const;
export type DiagnosticFormat = (typeof diagnosticFormats)[number];

/** Diagnostics as text in one of the forms; the options concern the text form. */
export async function printDiagnostics(
  format: DiagnosticFormat,
  diagnostics: readonly Diagnostic[],
  options: TextOptions,
): Promise<string> {
  switch (format) {
    case "text":
      return printText(diagnostics, options);
    case "json":
      return printJson(diagnostics);
    case "sarif":
      // Only this form lists the rules, which are most of the analysis.
      return printSarif(diagnostics, (await import("../../analysis/rules/index.ts")).rules);
    case "github":
      return printGithub(diagnostics);
    default:
      return assertNever(format);
  }
}
