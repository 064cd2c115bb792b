import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import {
  API,
  type Diagnostic as TypeScriptDiagnostic,
  type Program,
  type Project,
  type Snapshot,
} from "typescript/unstable/async";
import type { Diagnostic, Span } from "../../model/diagnostic.ts";
import { projectConfig } from "./checker-config.ts";
import type { DataType } from "../../model/render.ts";
import { dataTypes, type DataQuestion } from "./checker-data.ts";
import { typeAt, typeText, walkType, type CheckedType, type Question } from "./checker-walk.ts";

export type { DataQuestion } from "./checker-data.ts";
export type { CheckedNode, CheckedProperty, CheckedType, Question } from "./checker-walk.ts";

/** What changed on disk since the last question. Paths are relative to the application's root. */
export interface FileChanges {
  readonly changed?: readonly string[];
  readonly created?: readonly string[];
  readonly deleted?: readonly string[];
}

/** The TypeScript server of one application. It starts with the first question and lives until `close`. */
export interface Checker {
  /** Starts the server now, for a caller that has other work to do meanwhile. */
  start(): void;
  /** Takes note of saved files; the next question sees them. */
  update(changes: FileChanges): void;
  /** Types as text, every exported name written `import("/abs/file").Name`. */
  texts(questions: readonly Question[]): Promise<readonly (string | undefined)[]>;
  /** Types as data, walked object by object: exact, and much slower than text. */
  walks(questions: readonly Question[]): Promise<readonly (CheckedType | undefined)[]>;
  /** Types of values as far as templates read them. */
  data(questions: readonly DataQuestion[]): Promise<readonly DataType[]>;
  /**
   * Errors of the application's files, or of some of them, in source order. With a signal one file is checked at a
   * time, so that questions about saved files are answered meanwhile, until it is aborted.
   */
  diagnostics(paths?: readonly string[], signal?: AbortSignal): Promise<readonly Diagnostic[]>;
  close(): Promise<void>;
}

/** TypeScript could not answer: it is not installed for this platform, stopped twice, or took too long. */
export class CheckerFailure extends Error {
  override readonly name = "CheckerFailure";
}

export interface CheckerOptions {
  /** Milliseconds one question may take before the server counts as stuck. */
  readonly timeout?: number;
  /** Another TypeScript executable, for tests. */
  readonly executable?: string;
}

interface Session {
  readonly api: API;
  readonly config: string;
  readonly stopped: Promise<never>;
  stop(): void;
  opened: Opened;
  waiting: number;
}

/** The program at one moment. A question sees the one it began with, whatever is saved meanwhile. */
interface Opened {
  readonly snapshot: Snapshot;
  readonly project: Project;
  questions: number;
  replaced: boolean;
}

const defaultTimeout = 120_000;

export function openChecker(root: string, options: CheckerOptions = {}): Checker {
  return new TypeScriptServer(root, options);
}

class TypeScriptServer implements Checker {
  readonly #root: string;
  readonly #options: CheckerOptions;
  #session: Promise<Session> | undefined;
  #updating: Promise<unknown> = Promise.resolve();
  #changes: { changed: Set<string>; created: Set<string>; deleted: Set<string> } = noChanges();
  #closed = false;

  constructor(root: string, options: CheckerOptions) {
    this.#root = root;
    this.#options = options;
  }

  start(): void {
    this.#open().catch(() => undefined);
  }

  update(changes: FileChanges): void {
    for (const kind of ["changed", "created", "deleted"] as const) {
      for (const path of changes[kind] ?? []) this.#note(this.#absolute(path), kind);
    }
  }

  /** The last of a file counts; one that went and came back may have changed, and the server may not have known it. */
  #note(path: string, kind: "changed" | "created" | "deleted"): void {
    const { changed, created, deleted } = this.#changes;
    if (kind === "deleted") {
      changed.delete(path);
      created.delete(path);
    } else if (deleted.delete(path)) changed.add(path);
    this.#changes[kind].add(path);
  }

  texts(questions: readonly Question[]): Promise<readonly (string | undefined)[]> {
    return this.#ask((project) => typeText(project, this.#absoluteAll(questions)));
  }

  walks(questions: readonly Question[]): Promise<readonly (CheckedType | undefined)[]> {
    return this.#ask((project) =>
      Promise.all(
        this.#absoluteAll(questions).map(async (question) => {
          const type = await typeAt(project, question);
          return type && walkType(project, type);
        }),
      ),
    );
  }

  data(questions: readonly DataQuestion[]): Promise<readonly DataType[]> {
    return this.#ask((project) => dataTypes(project, this.#absoluteAll(questions)));
  }

  async diagnostics(paths?: readonly string[], signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    const found = await this.#ask((project) => this.#collect(project, paths, signal));
    const inside = found.filter((each) => each.fileName === undefined || this.#isOwn(each.fileName));
    return placeAll(this.#root, inside);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const session = await this.#session?.catch(() => undefined);
    this.#session = undefined;
    if (session) await closeSession(session);
  }

  async #collect(
    { program }: Project,
    paths: readonly string[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly TypeScriptDiagnostic[]> {
    // Asked for the whole program, TypeScript would check its own declarations and those of packages, too.
    const files = paths?.map((path) => this.#absolute(path)) ?? (await this.#ownFiles(program));
    const wholes = [
      ...(paths ? [] : [program.getConfigFileParsingDiagnostics(), program.getProgramDiagnostics()]),
      ...(paths?.map((path) => program.getSyntacticDiagnostics(this.#absolute(path))) ?? [
        program.getSyntacticDiagnostics(),
      ]),
    ];
    const found = (await Promise.all(wholes)).flat();
    if (!signal)
      return [...found, ...(await Promise.all(files.map((file) => program.getSemanticDiagnostics(file)))).flat()];
    for (const file of files) {
      signal.throwIfAborted();
      found.push(...(await program.getSemanticDiagnostics(file)));
    }
    return found;
  }

  async #ownFiles(program: Program): Promise<readonly string[]> {
    return (await program.getSourceFileNames()).filter((file) => this.#isOwn(file));
  }

  /** Asks once more on a fresh server when the first one dies, and never a third time. */
  async #ask<T>(work: (project: Project) => Promise<T>): Promise<T> {
    try {
      return await this.#attempt(work);
    } catch (error) {
      if (!(error instanceof ServerStopped) || this.#closed) throw asFailure(error);
    }
    try {
      return await this.#attempt(work);
    } catch (error) {
      throw asFailure(error);
    }
  }

  async #attempt<T>(work: (project: Project) => Promise<T>): Promise<T> {
    const opening = this.#open();
    try {
      const session = await this.#current(opening);
      return await whileAwake(
        session,
        () => whileOpened(session.opened, work),
        this.#options.timeout ?? defaultTimeout,
      );
    } catch (error) {
      // Another question may have started the next server already.
      if (error instanceof ServerStopped && this.#session === opening) this.#session = undefined;
      throw error;
    }
  }

  async #current(opening: Promise<Session>): Promise<Session> {
    const session = await opening;
    const next = this.#updating.then(() => this.#refresh(session));
    this.#updating = next.catch(() => undefined);
    await next;
    return session;
  }

  #open(): Promise<Session> {
    if (this.#closed) return Promise.reject(new CheckerFailure("the TypeScript server was closed"));
    this.#session ??= this.#launch().catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  async #launch(): Promise<Session> {
    this.#changes = noChanges();
    const config = await projectConfig(this.#root);
    const session = await connect(this.#root, config, this.#options);
    const timeout = this.#options.timeout ?? defaultTimeout;
    await whileAwake(session, () => openProject(session), timeout);
    return session;
  }

  async #refresh(session: Session): Promise<void> {
    const { changed, created, deleted } = this.#changes;
    if (changed.size + created.size + deleted.size === 0) return;
    this.#changes = noChanges();
    const fileChanges = { changed: [...changed], created: [...created], deleted: [...deleted] };
    await whileAwake(session, () => openProject(session, fileChanges), this.#options.timeout ?? defaultTimeout);
  }

  #absolute(path: string): string {
    return isAbsolute(path) ? path : join(this.#root, path);
  }

  #absoluteAll<Q extends Question>(questions: readonly Q[]): readonly Q[] {
    return questions.map((question) => ({ ...question, path: this.#absolute(question.path) }));
  }

  #isOwn(file: string): boolean {
    const path = relative(this.#root, file);
    return !path.startsWith("..") && !isAbsolute(path) && !path.split(sep).includes("node_modules");
  }
}

/** The server's process went away under a question. */
class ServerStopped extends Error {}

function noChanges(): { changed: Set<string>; created: Set<string>; deleted: Set<string> } {
  return { changed: new Set(), created: new Set(), deleted: new Set() };
}

async function connect(root: string, config: string, options: CheckerOptions): Promise<Session> {
  const api = new API({ cwd: root, ...(options.executable ? { tsserverPath: options.executable } : {}) });
  const timer = setTimeout(() => processOf(api)?.kill("SIGKILL"), options.timeout ?? defaultTimeout);
  try {
    await clientOf(api)?.connect();
    muteFailedWrites(processOf(api));
    // The first answer proves that the process runs.
    await Promise.race([api.parseConfigFile(config), processEnd(api)]);
  } catch (error) {
    if (error instanceof ServerStopped) throw error;
    throw new CheckerFailure(`TypeScript could not start: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
  const server = processOf(api);
  if (!server) throw new CheckerFailure("TypeScript could not start: it left no process");
  const stopped = processEnd(api);
  stopped.catch(() => undefined);
  const session: Session = {
    api,
    config,
    stopped,
    stop: () => void server.kill("SIGKILL"),
    opened: undefined as unknown as Opened,
    waiting: 0,
  };
  setAwake(session, false);
  return session;
}

async function openProject(
  session: Session,
  fileChanges?: { changed: string[]; created: string[]; deleted: string[] },
): Promise<void> {
  const snapshot = await session.api.updateSnapshot({
    openProjects: [session.config],
    ...(fileChanges ? { fileChanges } : {}),
  });
  const project = snapshot.getProject(session.config);
  if (!project) throw new CheckerFailure(`TypeScript does not open ${session.config}`);
  const before = session.opened as Opened | undefined;
  session.opened = { snapshot, project, questions: 0, replaced: false };
  if (!before) return;
  before.replaced = true;
  release(before);
}

async function whileOpened<T>(opened: Opened, work: (project: Project) => Promise<T>): Promise<T> {
  opened.questions += 1;
  try {
    return await work(opened.project);
  } finally {
    opened.questions -= 1;
    release(opened);
  }
}

/** Lets the server forget a program that nobody asks any more. */
function release({ snapshot, questions, replaced }: Opened): void {
  if (!replaced || questions > 0) return;
  // A server that has stopped has forgotten everything.
  snapshot.dispose().catch(() => undefined);
}

/** Runs one question; the process keeps this one alive only while somebody waits for an answer. */
async function whileAwake<T>(session: Session, work: () => Promise<T>, timeout: number): Promise<T> {
  session.waiting += 1;
  setAwake(session, true);
  const timer = setTimeout(() => session.stop(), timeout);
  try {
    return await Promise.race([work(), session.stopped]);
  } finally {
    clearTimeout(timer);
    session.waiting -= 1;
    if (session.waiting === 0) setAwake(session, false);
  }
}

/** What the library keeps to itself; a dead server would otherwise leave questions open for ever. */
interface Client {
  readonly process?: ChildProcess;
  connect(): Promise<void>;
}

function clientOf(api: API): Client | undefined {
  return Reflect.get(api, "client") as Client | undefined;
}

function processOf(api: API): ChildProcess | undefined {
  return clientOf(api)?.process;
}

/** A failed write rejects the question and one more promise that nobody holds; the server's end tells the same. */
function muteFailedWrites(server: ChildProcess | undefined): void {
  if (!server?.stdin) return;
  const write = server.stdin.write.bind(server.stdin) as (...args: unknown[]) => boolean;
  server.stdin.write = (...args: unknown[]) => write(...args.map(muted));
}

function muted(done: unknown): unknown {
  return typeof done === "function" ? (error: unknown) => void (error ?? done()) : done;
}

async function processEnd(api: API): Promise<never> {
  while (!processOf(api)) await new Promise((resolve) => setImmediate(resolve));
  return new Promise((_, reject) => {
    const server = processOf(api);
    const stop = (): void => reject(new ServerStopped("the TypeScript server stopped"));
    server?.stdin?.on("error", stop);
    if (!server || server.exitCode !== null || server.signalCode !== null) stop();
    else server.once("exit", stop);
  });
}

interface Handle {
  ref?(): void;
  unref?(): void;
}

function setAwake(session: Session, awake: boolean): void {
  const server = processOf(session.api);
  const handles = [server, server?.stdin, server?.stdout] as readonly (Handle | null | undefined)[];
  for (const handle of handles) {
    if (awake) handle?.ref?.();
    else handle?.unref?.();
  }
}

/** Without a farewell: after Ctrl-C, which reaches the server too, it would answer one with a line on standard error. */
async function closeSession(session: Session): Promise<void> {
  setAwake(session, true);
  session.stop();
  await session.stopped.catch(() => undefined);
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof ServerStopped)) return error;
  return new CheckerFailure("the TypeScript server stopped twice while it was asked about this application");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function placeAll(root: string, found: readonly TypeScriptDiagnostic[]): Promise<readonly Diagnostic[]> {
  const files = new Set(found.map((each) => each.fileName).filter((name) => name !== undefined));
  const texts = new Map<string, string>();
  await Promise.all([...files].map(async (file) => texts.set(file, await textOf(file))));
  const placed = found.map((each) => place(root, each, texts));
  return placed.toSorted(inSourceOrder).filter((each, index, all) => index === 0 || !isSame(each, all[index - 1]));
}

/** TypeScript counts from behind a byte order mark. */
async function textOf(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function place(root: string, found: TypeScriptDiagnostic, texts: ReadonlyMap<string, string>): Diagnostic {
  const at = spanIn(root, found, texts);
  const related = (found.relatedInformation ?? [])
    .filter((each) => each.fileName !== undefined && texts.has(each.fileName))
    .map((each) => ({ at: spanIn(root, each, texts), message: withoutStop(each.text) }));
  return {
    code: `ts${found.code}`,
    at,
    message: withoutStop(chainText(found)),
    ...(related.length > 0 ? { related } : {}),
  };
}

/** The headline and the innermost reason: what is between them repeats types at length. */
function chainText(found: TypeScriptDiagnostic): string {
  let last: TypeScriptDiagnostic = found;
  for (let next = last.messageChain?.[0]; next; next = last.messageChain?.[0]) last = next;
  return last === found ? found.text : `${withoutStop(found.text)}: ${last.text}`;
}

function withoutStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

function spanIn(root: string, found: TypeScriptDiagnostic, texts: ReadonlyMap<string, string>): Span {
  const text = found.fileName === undefined ? "" : (texts.get(found.fileName) ?? "");
  const path = found.fileName === undefined ? "tsconfig.json" : relative(root, found.fileName).split(sep).join("/");
  const start = position(text, found.pos);
  const end = position(text, Math.max(found.end, found.pos));
  return { path, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}

function position(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < offset; next = text.indexOf("\n", next + 1)) {
    line += 1;
    lineStart = next + 1;
  }
  return { line, column: Math.max(0, Math.min(offset, text.length) - lineStart) + 1 };
}

function inSourceOrder(a: Diagnostic, b: Diagnostic): number {
  if (a.at.path !== b.at.path) return a.at.path < b.at.path ? -1 : 1;
  return a.at.line - b.at.line || a.at.column - b.at.column || a.code.localeCompare(b.code);
}

function isSame(a: Diagnostic, b: Diagnostic | undefined): boolean {
  return b !== undefined && a.code === b.code && a.message === b.message && inSourceOrder(a, b) === inSourceOrder(b, a);
}
