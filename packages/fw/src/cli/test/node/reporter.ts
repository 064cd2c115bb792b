import { readFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { counted } from "../../../lib/counted.ts";
import { ownDirectory } from "../../../lib/own-modules.ts";
import type { Span } from "../../../model/diagnostic.ts";
import { palette, wantsColour, type Palette } from "../../print/colour.ts";
import { frame } from "../../print/frame.ts";

/** The members of a Node test runner event that the report needs. */
export interface RunnerEvent {
  readonly type: string;
  readonly data: RunnerData;
}

interface RunnerData {
  readonly name?: string;
  readonly nesting?: number;
  readonly file?: string;
  readonly message?: string;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details?: { readonly duration_ms?: number; readonly type?: string; readonly error?: Error };
}

interface FailedTest {
  readonly title: string;
  readonly file: string;
  readonly error: Error;
}

export interface ReportOptions {
  /** The application's directory, absolute. */
  readonly root: string;
  readonly colour: boolean;
  /** Returns the text of a file, for showing the code that failed. */
  readonly source: (path: string) => string | undefined;
}

/** Implements the report of a run for Node's option `--test-reporter`. */
export default async function* reporter(events: AsyncIterable<RunnerEvent>): AsyncGenerator<string> {
  yield* report(events, {
    root: process.cwd(),
    colour: wantsColour(process.stdout, process.env),
    source: (path) => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return undefined;
      }
    },
  });
}

/** Prints each test on a line below its file, then the failures with their code and difference, then the counts. */
export async function* report(events: AsyncIterable<RunnerEvent>, options: ReportOptions): AsyncGenerator<string> {
  const styles = palette(options.colour);
  const run = new Run();
  for await (const { type, data } of events) {
    if (type === "test:start") run.begin(data);
    else if (type === "test:stdout") yield data.message ?? "";
    else if (type === "test:stderr") yield run.keepErrorOutput(data);
    else if (type === "test:diagnostic" && !isSummary(data)) yield run.diagnosticLine(data, styles);
    else if (type === "test:pass" || type === "test:fail") yield* run.end(type === "test:fail", data, options, styles);
  }
  if (run.failures.length > 0) yield* failureTexts(run.failures, options, styles);
  yield summary(run, styles);
}

class Run {
  readonly failures: FailedTest[] = [];
  readonly counts = { passed: 0, failed: 0, skipped: 0, todo: 0 };
  readonly #started = performance.now();
  /** The names of the running test and its enclosing groups. */
  #names: string[] = [];
  #file = "";
  /** The end of the error output of each file. */
  readonly #errorOutput = new Map<string, string>();
  readonly #lateErrors = new Map<string, LateError>();

  get seconds(): number {
    return (performance.now() - this.#started) / 1_000;
  }

  begin({ name = "", nesting = 0 }: RunnerData): void {
    this.#names = [...this.#names.slice(0, nesting), name];
  }

  /** Keeps a message of a file's error output, in case the file cannot run, and returns the message. */
  keepErrorOutput({ file = "", message = "" }: RunnerData): string {
    this.#errorOutput.set(file, `${this.#errorOutput.get(file) ?? ""}${message}`.slice(-keptErrorOutput));
    return message;
  }

  /**
   * Returns the line of a diagnostic; "" for an error after the end of its test, because it is reported with the file.
   */
  diagnosticLine({ file = "", message = "" }: RunnerData, { dim }: Palette): string {
    const late = lateError(message);
    if (late === undefined) return `  ${dim(message)}\n`;
    this.#lateErrors.set(file, late);
    return "";
  }

  /** Counts a completed test and yields its line. A group counts only if it failed itself. */
  *end(hasFailed: boolean, data: RunnerData, { root }: ReportOptions, styles: Palette): Generator<string> {
    const { name = "", nesting = 0, file = "", details = {} } = data;
    const { error } = details;
    const isGroup = details.type === "suite" || failureType(error) === "subtestsFailed";
    if (isGroup && (!hasFailed || failureType(error) === "subtestsFailed")) return;
    const late = isAbsolute(name) ? this.#lateErrors.get(file) : undefined;
    const title = [...this.#names.slice(0, nesting), late?.title ?? titleOf(name, root)].join(" > ");
    if (file !== "" && file !== this.#file) yield `\n${styles.bold(relative(root, file))}\n`;
    this.#file = file === "" ? this.#file : file;
    const skipped = isMarked(data.skip) ? "skipped" : isMarked(data.todo) ? "todo" : undefined;
    this.counts[skipped ?? (hasFailed ? "failed" : "passed")]++;
    if (hasFailed && skipped === undefined && error !== undefined)
      this.failures.push({
        title,
        file,
        error: late?.errorIn(root) ?? loadFailure(error, this.#errorOutput.get(file)) ?? causeOf(error),
      });
    const mark = skipped === undefined ? (hasFailed ? styles.red("✗") : styles.cyan("✓")) : styles.dim("-");
    yield `  ${mark} ${title} ${styles.dim(skipped ?? `${Math.round(details.duration_ms ?? 0)} ms`)}\n`;
  }
}

/** True for a test that is marked as skip or todo. A mark without a reason is true or "". */
function isMarked(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false;
}

/** Returns the title of a test. Node reports a file that cannot be loaded as a test named after its path. */
function titleOf(name: string, root: string): string {
  return isAbsolute(name) ? `${relative(root, name)} (the file cannot run)` : name;
}

/** True for the counts that Node repeats at the end. */
function isSummary({ nesting, message = "" }: RunnerData): boolean {
  return nesting === 0 && /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message);
}

function failureType(error: Error | undefined): unknown {
  return (error as { readonly failureType?: unknown } | undefined)?.failureType;
}

function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}

/** An unhandled error from a test that had already ended. */
interface LateError {
  readonly title: string;
  readonly errorIn: (root: string) => Error;
}

function lateError(message: string): LateError | undefined {
  const [, test, place, cause] = lateErrorMessage.exec(message) ?? [];
  if (test === undefined || place === undefined) return undefined;
  const text = `a promise of this test rejected after the test had ended: ${cause}\nawait the promise in the test`;
  return {
    title: `${test} (after its end)`,
    errorIn: (root) => Object.assign(new Error(text), { stack: `    at ${join(root, place)}` }),
  };
}

const lateErrorMessage =
  /^Error: Test "(.+)" at (\S+:\d+:\d+) generated asynchronous activity .* created the error "(.*)" and would have/s;

/** The number of characters of a file's error output to keep: Node prints the cause at its end. */
const keptErrorOutput = 10_000;

/** Returns the error that ended the process of a test file, as Node printed it; undefined for other failures. */
function loadFailure({ message }: Error, output: string | undefined): Error | undefined {
  if (message !== "test failed" || output === undefined) return undefined;
  // Take the last one, because earlier tests may have printed errors, too.
  const [text] = lastMatch(output, /^(?:Uncaught )?\w*Error\b.*(?:\n(?! {4}at |\n).*)*/gm) ?? [];
  if (text === undefined) return undefined;
  const [, path, line, indent = ""] = lastMatch(output, /^(?:file:\/\/)?(\/.+):(\d+)\n.*\n([ \t]*)\^/gm) ?? [];
  const place = path === undefined ? "" : `    at ${path}:${line}:${indent.length + 1}\n`;
  return Object.assign(new Error(text.replace(/^(\w+) \[\w+\]: /, "$1: ").replace(/^Error: /, "")), {
    stack: `${place}${output}`,
  });
}

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | undefined {
  return [...text.matchAll(pattern)].at(-1);
}

async function* failureTexts(
  failures: readonly FailedTest[],
  options: ReportOptions,
  styles: Palette,
): AsyncGenerator<string> {
  // Load the parser only if a test failed.
  const { expressionAt } = await import("../../../workspace/expression-at.ts");
  for (const failure of failures) yield failureText(failure, { ...options, expressionAt }, styles);
}

interface FailureOptions extends ReportOptions {
  readonly expressionAt: (text: string, at: Span) => Span;
}

function failureText({ title, file, error }: FailedTest, options: FailureOptions, styles: Palette): string {
  const { root, source, expressionAt } = options;
  const frames = applicationFrames(error.stack ?? "", root);
  // The test's own line is more useful than a helper's.
  const at = frames.find((each) => each.path === file) ?? frames[0];
  const text = at && source(at.path);
  const line = text?.split("\n")[(at?.line ?? 0) - 1];
  const others = frames.filter((each) => each !== at).map((each) => `  at ${placeText(each, root)}`);
  return [
    "",
    `${styles.red("✗")} ${styles.bold(title)}`,
    `  ${at === undefined ? relative(root, file) : placeText(at, root)}`,
    ...(at && text !== undefined && line !== undefined
      ? [frame(line, expressionAt(text, { ...at, endLine: at.line, endColumn: at.column + 1 }), styles)]
      : []),
    ...messageLines(error, styles).map((each) => `  ${each}`),
    ...(others.length === 0 ? [] : [styles.dim(others.join("\n"))]),
    "",
  ].join("\n");
}

/** Returns the lines of an error's message, with the lines of a difference colored. */
function messageLines(error: Error, { red, cyan }: Palette): string[] {
  const name = error.name === "AssertionError" || error.name === "Error" ? "" : `${error.name}: `;
  const message = error.message === "test failed" ? "it ended with the error that it printed above" : error.message;
  const lines = `${name}${message}`.trimEnd().split("\n");
  return lines.map((text) => (text.startsWith("+ ") ? cyan(text) : text.startsWith("- ") ? red(text) : text));
}

interface CodePlace {
  /** Absolute. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Returns the frames of a stack trace in the application's own files. */
function applicationFrames(stack: string, root: string): readonly CodePlace[] {
  return [...stack.matchAll(/(file:\/\/\S+?|\/[^\s():]+|[A-Z]:\\[^\s():]+):(\d+):(\d+)\)?$/gm)]
    .map(([, file = "", line, column]) => ({
      path: file.startsWith("file:") ? fileURLToPath(file) : file,
      line: Number(line),
      column: Number(column),
    }))
    .filter(({ path }) => isBelow(path, root) && !path.includes("/node_modules/") && !isBelow(path, ownPackage));
}

const ownPackage = join(ownDirectory, "..");

function isBelow(path: string, directory: string): boolean {
  const inside = relative(directory, path);
  return inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
}

function placeText({ path, line, column }: CodePlace, root: string): string {
  return `${relative(root, path)}:${line}:${column}`;
}

function summary({ counts: { passed, failed, skipped, todo }, seconds }: Run, { bold, red }: Palette): string {
  const parts = [
    failed === 0 ? "" : red(bold(`${failed} failed`)),
    bold(`${passed} passed`),
    skipped === 0 ? "" : `${skipped} skipped`,
    todo === 0 ? "" : `${todo} to do`,
  ];
  const total = counted(passed + failed + skipped + todo, "test");
  return `\n${parts.filter((part) => part !== "").join(", ")} of ${total} in ${seconds.toFixed(1)} s\n`;
}
