import type { ChildProcess } from "node:child_process";
import { API } from "typescript/unstable/async";
import type { Unsaved } from "../../lib/unsaved.ts";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import { ServerStopped } from "./failure.ts";
import { directoryToKeep, keepServer, takeServer, type KnownDirectory } from "./kept-servers.ts";
import { answerOf, unsavedFiles } from "./unsaved-files.ts";
import { isGone, processEnd, processOf, setAwake, startProcess, takeOver } from "./process.ts";
import type { OpenProgram, ServerChanges } from "./program.ts";
import type { AnswerFileQuestion } from "./transport.ts";

export interface CheckerOptions {
  /** Milliseconds without an answer to a query after which the server counts as stuck. */
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
  /** The applications that the server has opened; the last one is that of the session. */
  readonly roots: readonly string[];
  /** True if another application may use the server later. */
  readonly isShareable: boolean;
  /** The directory when the server opened the application; undefined in a process that keeps no servers. */
  readonly directory: KnownDirectory | undefined;
  /** The changes since the server had the same application open before. */
  readonly changes: ServerChanges | undefined;
  readonly stopped: Promise<never>;
  stop(): void;
  program: OpenProgram;
  waiting: number;
  /** Milliseconds without an answer to a query after which the server counts as stuck. */
  readonly timeout: number;
}

const defaultTimeout = 120_000;

/** Starts a server or takes a kept one. Closing it before it has started cancels the start. */
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
  const api = new API({
    cwd: root,
    ...(executable ? { tsserverPath: executable } : {}),
    ...(files ? { fs: files } : {}),
  });
  const answer: AnswerFileQuestion | undefined = files && ((method, path) => answerOf(files, method, path));
  await firstAnswer(api, config, { timeout, closed, answer, launched });
  const server = processOf(api);
  if (!server) throw new CheckerFailure("TypeScript could not start: it has no process");
  const stopped = processEnd(api);
  stopped.catch(() => undefined);
  const session: ServerSession = {
    api,
    config,
    roots: [root],
    isShareable: false,
    directory: undefined,
    changes: undefined,
    stopped,
    stop: () => void server.kill("SIGKILL"),
    program: undefined as unknown as OpenProgram,
    waiting: 0,
    timeout,
  };
  setAwake(processOf(session.api), false);
  return session;
}

interface StartOptions {
  readonly timeout: number;
  /** Aborts when the server is no longer needed. */
  readonly closed: AbortSignal;
  readonly answer: AnswerFileQuestion | undefined;
  readonly launched: ChildProcess | undefined;
}

/** Waits for the first answer, which proves that the process runs. */
async function firstAnswer(
  api: API,
  config: string,
  { timeout, closed, answer, launched }: StartOptions,
): Promise<void> {
  const kill = (): void => void processOf(api)?.kill("SIGKILL");
  const timer = setTimeout(kill, timeout);
  closed.addEventListener("abort", kill);
  try {
    await startProcess(api, launched);
    if (closed.aborted) kill();
    takeOver(api, answer);
    await Promise.race([api.parseConfigFile(config), processEnd(api)]);
  } catch (error) {
    if (error instanceof ServerStopped) throw error;
    throw new CheckerFailure(`TypeScript could not start: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
    closed.removeEventListener("abort", kill);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs one query. The server keeps this process alive only while queries run. */
export async function whileAwake<T>(session: ServerSession, work: () => Promise<T>): Promise<T> {
  session.waiting += 1;
  setAwake(processOf(session.api), true);
  const timer = setTimeout(() => session.stop(), session.timeout);
  try {
    return await Promise.race([work(), session.stopped]);
  } catch (error) {
    throw isGone(session.api) ? new ServerStopped("the TypeScript server stopped", { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    session.waiting -= 1;
    if (session.waiting === 0) setAwake(processOf(session.api), false);
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
