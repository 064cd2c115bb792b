import type { ChildProcess } from "node:child_process";
import { API } from "typescript/unstable/async";
import type { Unsaved } from "../../lib/unsaved.ts";
import { CheckerFailure, ServerStopped } from "./failure.ts";
import { answerOf, unsavedFiles } from "./unsaved-files.ts";
import { isGone, processEnd, processOf, setAwake, startProcess, takeOver } from "./process.ts";
import type { Opened } from "./program.ts";
import type { Answer } from "./transport.ts";

export interface CheckerOptions {
  /** Milliseconds one question may take before the server counts as stuck. */
  readonly timeout?: number;
  /** Another TypeScript executable, for tests. */
  readonly executable?: string;
  /** What an editor has not saved. */
  readonly unsaved?: Unsaved;
  /** The server to ask first, where one was launched for this application. */
  readonly launched?: ChildProcess | undefined;
}

/** A running server. */
export interface Session {
  readonly api: API;
  readonly config: string;
  readonly stopped: Promise<never>;
  stop(): void;
  opened: Opened;
  waiting: number;
  /** Milliseconds that one question may take. */
  readonly timeout: number;
}

const defaultTimeout = 120_000;

/** Starts a server. One that is closed before it has begun is not waited for. */
export async function connect(
  root: string,
  config: string,
  options: CheckerOptions,
  closed: AbortSignal,
): Promise<Session> {
  const { executable, unsaved, launched } = options;
  const files = unsaved && unsavedFiles(unsaved);
  const api = new API({
    cwd: root,
    ...(executable ? { tsserverPath: executable } : {}),
    ...(files ? { fs: files } : {}),
  });
  const timeout = options.timeout ?? defaultTimeout;
  const answer: Answer | undefined = files && ((method, path) => answerOf(files, method, path));
  await firstAnswer(api, config, { timeout, closed, answer, launched });
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
    timeout,
  };
  setAwake(processOf(session.api), false);
  return session;
}

interface Start {
  readonly timeout: number;
  /** Aborts where the server is not wanted any more. */
  readonly closed: AbortSignal;
  readonly answer: Answer | undefined;
  readonly launched: ChildProcess | undefined;
}

/** The first answer proves that the process runs. */
async function firstAnswer(api: API, config: string, { timeout, closed, answer, launched }: Start): Promise<void> {
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

/** Runs one question; the process keeps this one alive only while somebody waits for an answer. */
export async function whileAwake<T>(session: Session, work: () => Promise<T>): Promise<T> {
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

/** Without a farewell: after Ctrl-C, which reaches the server too, it would answer one with a line on standard error. */
export async function closeSession(session: Session): Promise<void> {
  setAwake(processOf(session.api), true);
  session.stop();
  await session.stopped.catch(() => undefined);
}
