import type { ChildProcess } from "node:child_process";
import { API } from "typescript/unstable/async";
import type { Unsaved } from "../../lib/unsaved.ts";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import { ServerStopped } from "./failure.ts";
import { directoryToKeep, keepServer, takeServer, type KnownDirectory } from "./kept-servers.ts";
import { answerOf, unsavedFiles } from "./unsaved-files.ts";
import {
  isGone,
  processEnd,
  processOf,
  setAwake,
  startProcess,
  takeOver,
  typeScriptExecutable,
  type ServerCommand,
} from "./process.ts";
import type { OpenProgram, ServerChanges } from "./program.ts";
import type { AnswerFileQuestion } from "./transport.ts";
import { Watchdog } from "./watchdog.ts";

export interface CheckerOptions {
  /** Milliseconds without an answer after which a server with pending queries is stopped. */
  readonly timeout?: number;
  /** Path of another TypeScript executable, for tests. */
  readonly executable?: string;
  readonly unsaved?: Unsaved;
  /** A server already launched for this application. */
  readonly launched?: ChildProcess | undefined;
}

export interface ServerSession {
  readonly api: API;
  readonly config: string;
  /** The applications that the server has opened; the last one is the session's. */
  readonly roots: readonly string[];
  /** True if another application may use the server later. */
  readonly isShareable: boolean;
  /**
   * The state of the directory when the server opened the application; undefined in a process that keeps no servers.
   */
  readonly directory: KnownDirectory | undefined;
  /** The changes since the server had the same application open before; undefined if it did not. */
  readonly changes: ServerChanges | undefined;
  readonly stopped: Promise<never>;
  stop(): void;
  program: OpenProgram;
  readonly watchdog: Watchdog;
}

const defaultTimeout = 120_000;

/** Starts a server or takes a kept one. Aborting `closed` before the server has started cancels the start. */
export async function connect(
  root: string,
  config: string,
  options: CheckerOptions,
  closed: AbortSignal,
): Promise<ServerSession> {
  const { executable, unsaved, timeout, launched } = options;
  const isShareable = executable === undefined && unsaved === undefined && timeout === undefined;
  const kept = isShareable && launched === undefined ? takeServer(root) : undefined;
  if (kept) return { ...kept, config };
  const directory = directoryToKeep(root);
  return { ...(await startServer(root, config, options, closed)), isShareable, directory };
}

async function startServer(
  root: string,
  config: string,
  options: CheckerOptions,
  closed: AbortSignal,
): Promise<ServerSession> {
  const { executable, unsaved, launched, timeout = defaultTimeout } = options;
  const files = unsaved && unsavedFiles(unsaved);
  const api = new API({ cwd: root });
  const command = async (): Promise<ServerCommand> => ({
    executable: executable ?? (await typeScriptExecutable()),
    root,
    callbacks: Object.keys(files ?? {}),
  });
  const stop = (): void => void processOf(api)?.kill("SIGKILL");
  const watchdog = new Watchdog(timeout, stop);
  await firstAnswer(api, config, {
    stop,
    watchdog,
    closed,
    answer: files && ((method, path) => answerOf(files, method, path)),
    launched,
    command,
  });
  if (!processOf(api)) throw new CheckerFailure("TypeScript could not start: there is no process");
  const stopped = processEnd(api);
  stopped.catch(() => undefined);
  setAwake(processOf(api), false);
  return {
    api,
    config,
    roots: [root],
    isShareable: false,
    directory: undefined,
    changes: undefined,
    stopped,
    stop,
    program: undefined as unknown as OpenProgram,
    watchdog,
  };
}

interface StartOptions {
  readonly stop: () => void;
  readonly watchdog: Watchdog;
  /** Aborts when the server is no longer needed. */
  readonly closed: AbortSignal;
  readonly answer: AnswerFileQuestion | undefined;
  readonly launched: ChildProcess | undefined;
  readonly command: () => Promise<ServerCommand>;
}

/** Starts the process and waits for its first answer, which proves that it runs. */
async function firstAnswer(
  api: API,
  config: string,
  { stop, watchdog, closed, answer, launched, command }: StartOptions,
): Promise<void> {
  watchdog.begin();
  closed.addEventListener("abort", stop);
  try {
    await startProcess(api, launched, command);
    if (closed.aborted) stop();
    takeOver(api, { answer, onAnswer: () => watchdog.noteAnswer() });
    await Promise.race([api.parseConfigFile(config), processEnd(api)]);
  } catch (error) {
    if (error instanceof ServerStopped) throw error;
    throw new CheckerFailure(`TypeScript could not start: ${messageOf(error)}`);
  } finally {
    watchdog.end();
    closed.removeEventListener("abort", stop);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs one query. The server keeps this process alive only while queries run. */
export async function whileAwake<T>(session: ServerSession, work: () => Promise<T>): Promise<T> {
  session.watchdog.begin();
  setAwake(processOf(session.api), true);
  try {
    return await Promise.race([work(), session.stopped]);
  } catch (error) {
    throw isGone(session.api) ? new ServerStopped("the TypeScript server stopped", { cause: error }) : error;
  } finally {
    session.watchdog.end();
    if (!session.watchdog.isWatching) setAwake(processOf(session.api), false);
  }
}

/** Keeps the server for another application, or ends it. */
export async function closeSession(session: ServerSession): Promise<void> {
  if (!keepServer(session)) await endServer(session);
}

/**
 * Kills the server without a shutdown request. After Ctrl-C, which the server also receives, the request would print an
 * error.
 */
async function endServer(session: ServerSession): Promise<void> {
  setAwake(processOf(session.api), true);
  session.stop();
  await session.stopped.catch(() => undefined);
}
