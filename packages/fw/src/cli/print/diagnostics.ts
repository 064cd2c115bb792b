import type { Change } from "../../evolution/change.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { listedChangeRules } from "../against/report.ts";
import { printGithub } from "./github.ts";
import { printJson } from "./json.ts";
import { printSarif } from "./sarif.ts";
import { printText, type TextOptions } from "./text.ts";

export const diagnosticFormats = ["text", "json", "sarif", "github"] as const;

/** Options for all formats. `changes` come from `fw check --against`. */
export interface PrintOptions extends TextOptions {
  readonly changes?: readonly Change[] | undefined;
}

type Print = (diagnostics: readonly Diagnostic[], options: PrintOptions) => string | Promise<string>;

export const printDiagnostics: Readonly<Record<(typeof diagnosticFormats)[number], Print>> = {
  text: printText,
  json: printJson,
  // Loaded only for SARIF, which lists the rules: loading them loads most of the analysis.
  sarif: async (diagnostics, { changes }) => {
    const { rules } = await import("../../analysis/rules/index.ts");
    return printSarif(diagnostics, [...rules, ...(changes === undefined ? [] : listedChangeRules)]);
  },
  github: printGithub,
};
