import { join } from "node:path";
import type { Change } from "../../evolution/change.ts";
import { counted } from "../../lib/counted.ts";
import type { App } from "../../model/app.ts";
import { endpointsOf } from "../../model/declarations.ts";
import { isError, type Diagnostic } from "../../model/diagnostic.ts";
import type { Contents, Workspace } from "../../workspace/workspace.ts";
import { changeDiagnostics, changesText } from "../against/report.ts";
import { sourceRoot } from "../app-root.ts";
import { command, type Command } from "../command.ts";
import type { IO } from "../io.ts";
import { diagnosticFormats, printDiagnostics } from "../print/diagnostics.ts";
import { formOf } from "../print/form.ts";
import { textOptions } from "../print/text.ts";
import { loadForAnalysis } from "../tune-process.ts";

export const check: Command = command({
  name: "check",
  summary: "report every problem of the application without running it",
  details: [
    "Applies every rule, compiles the templates and type-checks with TypeScript, without running the application. Each problem is one line, `path:line:col: message (fw/<rule>)`, followed by the code in question and a hint.",
    "With --fix, fw first writes every fix that is unambiguous: a missing export, a misspelled name, a marker, a declaration inside another one. If two fixes would change the same text, fw writes one, and the other only if it still applies. It then reports the remaining problems.",
    "With --against, fw compares an application without problems with another version of it: whether stored documents and waiting messages fit the new types, and whether clients of the old APIs keep working. A change that needs an action is a problem.",
    "Warnings are about code that works as written, such as one read for each document of a query. They are printed, and with --strict they count as problems.",
    "The exit code is 0 without problems and 1 with problems.",
  ],
  options: {
    against: {
      value: "<version>",
      summary: "compare stored data, messages and APIs with a build, a data directory, a project or a git ref",
    },
    strict: { summary: "also exit with 1 for warnings" },
    fix: { summary: "write every unambiguous fix, then report the remaining problems" },
    json: { summary: "print JSON; short for --format json" },
    format: {
      value: "<form>",
      choices: diagnosticFormats,
      summary: "text, json, sarif (SARIF 2.1.0) or github (annotations of GitHub Actions)",
    },
  },
  examples: [
    { line: "fw check", says: "print problems as text" },
    { line: "fw check --format github", says: "annotate a pull request on GitHub Actions" },
    { line: "fw check --json", says: "print problems for a program" },
    { line: "fw check --fix", says: "fix what can be fixed automatically" },
    { line: "fw check --against origin/main", says: "check existing data and clients against the change" },
  ],
  async run(options, io) {
    const started = performance.now();
    const format = formOf(options);
    const root = sourceRoot(io.cwd);
    const { app, files, problems } = await readProblems(root, options.fix === true, io);
    const ms = Math.round(performance.now() - started);
    const compared =
      options.against === undefined || problems.some(isError)
        ? undefined
        : await compare(root, app, options.against, io);
    const diagnostics = [...problems, ...(compared?.diagnostics ?? [])];
    if (diagnostics.length === 0 && format === "text") io.out.write(`${summary(app, files)} in ${ms} ms\n`);
    else
      io.out.write(
        await printDiagnostics[format](diagnostics, { ...textOptions(root, io), changes: compared?.changes }),
      );
    if (compared !== undefined && format === "text") io.out.write(compared.text);
    return diagnostics.some((each) => options.strict === true || isError(each)) ? 1 : 0;
  },
});

/** Reads an application and its problems. With `fixes`, applies fixes first. */
async function readProblems(
  root: string,
  fixes: boolean,
  io: IO,
): Promise<Pick<Contents, "app" | "files"> & { readonly problems: readonly Diagnostic[] }> {
  const workspace = await openWorkspace(root, io);
  const { app, files } = fixes ? await fixAll(workspace, io) : await workspace.read({ types: true });
  const problems = await workspace.problems().finally(() => workspace.close());
  return { app, files, problems };
}

/** Opens an application. TypeScript starts while its client and the rest of the analysis load. */
async function openWorkspace(root: string, { env }: IO): Promise<Workspace> {
  const { checker, Workspace: OpenWorkspace } = await loadForAnalysis(16, async () => {
    const { launchServer } = await import("../../analysis/checker/launch.ts");
    const launched = await launchServer(root);
    const { openChecker } = await import("../../analysis/checker/checker.ts");
    const ownChecker = openChecker(root, { launched });
    ownChecker.start();
    return { ...(await import("../../workspace/workspace.ts")), checker: ownChecker };
  });
  return new OpenWorkspace({ root, env, checker });
}

interface VersionComparison {
  readonly changes: readonly Change[];
  readonly diagnostics: readonly Diagnostic[];
  readonly text: string;
}

/** Compares the application's data and interfaces with those of another version. */
async function compare(root: string, app: App, against: string, io: IO): Promise<VersionComparison> {
  const { recordedVersion } = await import("../against/recorded-version.ts");
  const { compareVersions } = await import("../../evolution/compare.ts");
  const changes = compareVersions(await recordedVersion(root, against, io), app);
  return { changes, diagnostics: changeDiagnostics(changes), text: changesText(changes, against) };
}

/** The maximum number of rounds of fixes. Several fixes to the same text take one round each. */
const mostRounds = 10;

/**
 * Writes fixes until none are left, in at most `mostRounds` rounds. Prints their number to standard error, so that
 * programs can still parse the output.
 */
async function fixAll(workspace: Workspace, io: IO): Promise<Contents> {
  const { writeFixes } = await import("../../workspace/fixes.ts");
  const changedFiles = new Set<string>();
  let contents = await workspace.read({ types: false });
  let fixed = 0;
  for (let round = 0; round < mostRounds; round += 1) {
    let fixes = writeFixes(workspace.root, contents.diagnostics, workspace.sources);
    // TypeScript is slow, so it only runs once the rules have nothing left to fix.
    if (fixes.fixed === 0) fixes = writeFixes(workspace.root, await workspace.problems(), workspace.sources);
    if (fixes.fixed === 0) break;
    fixed += fixes.fixed;
    for (const path of fixes.files) changedFiles.add(path);
    const changes = fixes.files.map((path) => ({ path: join(workspace.root, path), kind: "changed" }) as const);
    contents = await workspace.update(workspace.classify(changes));
  }
  io.err.write(`fixed ${counted(fixed, "problem")} in ${counted(changedFiles.size, "file")}\n`);
  return contents;
}

/** Describes the checked application. Says if nothing is declared, as after `fw check` in the wrong directory. */
function summary({ packages }: App, files: number): string {
  if (packages.length === 0)
    return `nothing is declared here: fw read ${counted(files, "TypeScript file")} and found no API, Page or other declaration`;
  const routes = packages.flatMap(endpointsOf).length;
  return `no problems in ${counted(files, "file")} (${counted(routes, "route")})`;
}
