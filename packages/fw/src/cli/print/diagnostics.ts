import type { Diagnostic } from "../../model/diagnostic.ts";
import { printGithub } from "./github.ts";
import { printJson } from "./json.ts";
import { printSarif } from "./sarif.ts";
import { printText, type TextOptions } from "./text.ts";

/** The forms that diagnostics are printed in. */
export const diagnosticFormats = ["text", "json", "sarif", "github"] as const;
type DiagnosticFormat = (typeof diagnosticFormats)[number];

type Print = (diagnostics: readonly Diagnostic[], options: TextOptions) => string | Promise<string>;

/** Diagnostics as text in each of the forms; the options concern the text form. */
export const printDiagnostics: Readonly<Record<DiagnosticFormat, Print>> = {
  text: printText,
  json: printJson,
  // Only this form lists the rules, which are most of the analysis.
  sarif: async (diagnostics) => printSarif(diagnostics, (await import("../../analysis/rules/index.ts")).rules),
  github: printGithub,
};
