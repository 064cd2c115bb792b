import { join } from "node:path";
import type { Change } from "../../evolution/change.ts";
import { counted } from "../../lib/counted.ts";
import type { App } from "../../model/app.ts";
import { endpointsOf } from "../../model/declarations.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Contents, Workspace } from "../../workspace/workspace.ts";
import { changeDiagnostics, changesText } from "../against/report.ts";
import { sourceRoot } from "../app-root.ts";
import { command, type Command } from "../command.ts";
import type { IO } from "../io.ts";
import { optimizeLate } from "../optimize-late.ts";
import { diagnosticFormats, printDiagnostics } from "../print/diagnostics.ts";
import { formOf } from "../print/form.ts";
import { textOptions } from "../print/text.ts";
import { returnMemory } from "../return-memory.ts";
import { growYoungGeneration } from "../young-generation.ts";

/** `fw check`. */
export const check: Command = command({
  name: "check",
  summary: "report every problem of the application without running it",
  details: [
    "Applies every rule, compiles the templates and asks TypeScript for its errors. Nothing of the application runs. Each problem is one line, `path:line:col: message (fw/<rule>)`, with the code it is about and what to write instead.",
    "With --fix, what has one plain right form is written so first: a missing export, a mistyped name, a marker. Of two fixes that would change the same text one is written, and the other where it still holds. What is left is reported.",
    "With --against, an application without problems is compared with another version of it: whether stored documents and waiting messages fit the new types, and whether clients of the old APIs go on working. A change that needs an action is a problem.",
    "The exit code is 0 when there are no problems and 1 when there are.",
  ],
  options: {
    against: {
      value: "<version>",
      summary: "compare stored data, messages and APIs with a build, a data directory, a project or a git ref",
    },
    fix: { summary: "write the fixes that are plain, then report what is left" },
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
    { line: "fw check --fix", says: "with what is plain put right" },
    { line: "fw check --against origin/main", says: "and what existing data and clients make of the change" },
  ],
  async run(options, io) {
    const started = performance.now();
    const format = formOf(options);
    const root = sourceRoot(io.cwd);
    optimizeLate();
    returnMemory(process.env);
    // From 1 MB to 4 while modules are loaded, and no further.
    growYoungGeneration(4);
    // TypeScript starts while its client and the rest of the analysis are loaded.
    const { launchServer } = await import("../../analysis/checker/launch.ts");
    const launched = await launchServer(root);
    const { openChecker } = await import("../../analysis/checker/checker.ts");
    const checker = openChecker(root, { launched });
    checker.start();
    const { Workspace } = await import("../../workspace/workspace.ts");
    growYoungGeneration(1);
    const workspace = new Workspace({ root, env: io.env, checker });
    const contents = await workspace.read({ types: options.fix !== true });
    const { app, files } = options.fix ? await fixAll(workspace, contents, io) : contents;
    const problems = await workspace.problems().finally(() => workspace.close());
    const ms = Math.round(performance.now() - started);
    const { against } = options;
    const compared = against === undefined || problems.length > 0 ? undefined : await compare(root, app, against, io);
    const diagnostics = compared?.diagnostics ?? problems;
    const text = textOptions(root, io);
    if (diagnostics.length === 0 && format === "text") io.out.write(`${summary(app, files)} in ${ms} ms\n`);
    else io.out.write(await printDiagnostics[format](diagnostics, { ...text, changes: compared?.changes }));
    if (compared !== undefined && format === "text") io.out.write(compared.text);
    return diagnostics.length === 0 ? 0 : 1;
  },
});

interface Compared {
  readonly changes: readonly Change[];
  readonly diagnostics: readonly Diagnostic[];
  readonly text: string;
}

/** What another version's data and clients make of the application. */
async function compare(root: string, app: App, against: string, io: IO): Promise<Compared> {
  const { recordedVersion } = await import("../against/recorded-version.ts");
  const { compareVersions } = await import("../../evolution/compare.ts");
  const changes = compareVersions(await recordedVersion(root, against, io), app);
  return { changes, diagnostics: changeDiagnostics(changes), text: changesText(changes, against) };
}

/** Rounds in which fixes are written: of those that would change the same text one a round. */
const mostRounds = 10;

/** Writes fixes until there are none, and says how many. What is printed of problems stays as it is for programs. */
async function fixAll(workspace: Workspace, first: Contents, io: IO): Promise<Contents> {
  const { writeFixes } = await import("../../workspace/fixes.ts");
  const written = new Set<string>();
  let contents = first;
  let fixed = 0;
  for (let round = 0; round < mostRounds; round += 1) {
    const done = writeFixes(workspace.root, contents.diagnostics, workspace.sources);
    if (done.fixed === 0) break;
    fixed += done.fixed;
    for (const path of done.files) written.add(path);
    const changes = done.files.map((path) => ({ path: join(workspace.root, path), kind: "changed" }) as const);
    contents = await workspace.update(workspace.classify(changes));
  }
  io.err.write(`fixed ${counted(fixed, "problem")} in ${counted(written.size, "file")}\n`);
  return contents;
}

/** What was looked at, where nothing is wrong with it. Where nothing is declared, the directory may be another than meant. */
function summary({ packages }: App, files: number): string {
  if (packages.length === 0)
    return `nothing is declared here: no API, Page or other declaration of fw in ${counted(files, "TypeScript file")}, read`;
  const routes = packages.flatMap(endpointsOf).length;
  return `no problems in ${counted(files, "file")} (${counted(routes, "route")})`;
}
