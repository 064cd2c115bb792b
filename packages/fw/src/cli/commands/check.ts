import type { App } from "../../model/app.ts";
import { endpointsOf } from "../../model/declarations.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { sourceText } from "../../workspace/source-text.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { wantsColour } from "../print/colour.ts";
import { diagnosticFormats, printDiagnostics, type DiagnosticFormat } from "../print/diagnostics.ts";

/** `fw check`. */
export const check: Command = {
  name: "check",
  summary: "report every problem of the application without running it",
  details: [
    "Applies every rule, compiles the templates and asks TypeScript for its errors. Nothing of the application runs. Each problem is one line, `path:line:col: message (fw/<rule>)`, with the code it is about and what to write instead.",
    "The exit code is 0 when there are no problems and 1 when there are.",
  ],
  options: {
    json: { summary: "print JSON; the same as --format json" },
    format: {
      value: "<form>",
      choices: diagnosticFormats,
      summary: "text, json, sarif (SARIF 2.1.0) or github (annotations of GitHub Actions)",
    },
  },
  examples: [
    { line: "fw check", says: "for a person" },
    { line: "fw check --format github", says: "in a workflow of GitHub Actions" },
    { line: "fw check --json", says: "for a program" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const started = performance.now();
    const format = formatOf(options);
    const root = appRoot(io.cwd);
    // TypeScript starts while the rest of the analysis is loaded.
    const { openChecker } = await import("../../analysis/checker/checker.ts");
    const checker = openChecker(root);
    checker.start();
    const { Workspace } = await import("../../workspace/workspace.ts");
    const workspace = new Workspace({ root, env: io.env, checker });
    const { app, files } = await workspace.read({ types: true });
    const diagnostics = await workspace.problems().finally(() => workspace.close());
    const ms = Math.round(performance.now() - started);
    if (diagnostics.length === 0 && format === "text") {
      io.out.write(`${summary(app, files)} in ${ms} ms\n`);
    } else io.out.write(printed(format, diagnostics, root, io));
    return diagnostics.length === 0 ? 0 : 1;
  },
};

/** What was looked at, where nothing is wrong with it. Where nothing is declared, the directory may be another than meant. */
function summary({ packages }: App, files: number): string {
  if (packages.length === 0)
    return `nothing is declared here: no API, Page or other declaration of fw in ${counted(files, "TypeScript file")}, read`;
  const routes = packages.flatMap(endpointsOf).length;
  return `no problems in ${counted(files, "file")} (${counted(routes, "route")})`;
}

function formatOf({ json, format }: OptionValues): DiagnosticFormat {
  if (json && format !== undefined && format !== "json")
    throw new Refusal(`"--json" and "--format ${String(format)}" ask for two forms`);
  return json ? "json" : ((format as DiagnosticFormat | undefined) ?? "text");
}

function printed(format: DiagnosticFormat, diagnostics: readonly Diagnostic[], root: string, io: IO): string {
  return printDiagnostics(format, diagnostics, { colour: wantsColour(io.out, io.env), source: sourceText(root) });
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
