import { API } from "typescript/unstable/async";
import { CheckerFailure, ServerStopped } from "./failure.ts";
import { clientOf, isGone, muteFailedWrites, processEnd, processOf, setAwake } from "./process.ts";
import type { Opened } from "./program.ts";

export interface CheckerOptions {
  /** Milliseconds one question may take before the server counts as stuck. */
  readonly timeout?: number;
  /** Another TypeScript executable, for tests. */
  readonly executable?: string;
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

/** Starts a server. */
export async function connect(root: string, config: string, options: CheckerOptions): Promise<Session> {
  const api = new API({ cwd: root, ...(options.executable ? { tsserverPath: options.executable } : {}) });
  const timeout = options.timeout ?? defaultTimeout;
  await firstAnswer(api, config, timeout);
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
  setAwake(session.api, false);
  return session;
}

/** The first answer proves that the process runs. */
async function firstAnswer(api: API, config: string, timeout: number): Promise<void> {
  const timer = setTimeout(() => processOf(api)?.kill("SIGKILL"), timeout);
  try {
    await clientOf(api)?.connect();
    muteFailedWrites(processOf(api));
    await Promise.race([api.parseConfigFile(config), processEnd(api)]);
  } catch (error) {
    if (error instanceof ServerStopped) throw error;
    throw new CheckerFailure(`TypeScript could not start: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs one question; the process keeps this one alive only while somebody waits for an answer. */
export async function whileAwake<T>(session: Session, work: () => Promise<T>): Promise<T> {
  session.waiting += 1;
  setAwake(session.api, true);
  const timer = setTimeout(() => session.stop(), session.timeout);
  try {
    return await Promise.race([work(), session.stopped]);
  } catch (error) {
    throw isGone(session.api) ? new ServerStopped("the TypeScript server stopped", { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    session.waiting -= 1;
    if (session.waiting === 0) setAwake(session.api, false);
  }
}

/** Without a farewell: after Ctrl-C, which reaches the server too, it would answer one with a line on standard error. */
export async function closeSession(session: Session): Promise<void> {
  setAwake(session.api, true);
  session.stop();
  await session.stopped.catch(() => undefined);
}
