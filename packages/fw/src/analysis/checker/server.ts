import type { Project } from "typescript/unstable/async";
import { PendingChanges } from "./pending-changes.ts";
import { projectConfig } from "./config.ts";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import { asFailure, ServerStopped } from "./failure.ts";
import { openProject, withProgram } from "./program.ts";
import { closeSession, connect, whileAwake, type CheckerOptions, type ServerSession } from "./session.ts";

/** Runs a TypeScript server for one application, and restarts it if it dies. */
export class CheckerServer {
  readonly #root: string;
  readonly #options: CheckerOptions;
  #session: Promise<ServerSession> | undefined;
  #updating: Promise<unknown> = Promise.resolve();
  readonly #changes: PendingChanges = new PendingChanges();
  readonly #closed: AbortController = new AbortController();

  constructor(root: string, options: CheckerOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Starts the server or sends it saved files early. The next query reports any failure. */
  start(): void {
    this.#current(this.#open()).catch(() => undefined);
  }

  /** Records a saved file by its absolute path; the next query sees it. */
  note(path: string, kind: "changed" | "created" | "deleted"): void {
    this.#changes.note(path, kind);
  }

  /** Retries once on a fresh server if the first one dies. */
  async ask<T>(work: (project: Project) => Promise<T>): Promise<T> {
    try {
      return await this.#attempt(work);
    } catch (error) {
      if (!(error instanceof ServerStopped) || this.#closed.signal.aborted) throw asFailure(error);
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
      return await whileAwake(session, () => withProgram(session.program, work));
    } catch (error) {
      // Another query may have started the next server already.
      if (error instanceof ServerStopped && this.#session === opening) this.#session = undefined;
      throw error;
    }
  }

  async #current(opening: Promise<ServerSession>): Promise<ServerSession> {
    const session = await opening;
    const next = this.#updating.then(() => this.#refresh(session));
    this.#updating = next.catch(() => undefined);
    await next;
    return session;
  }

  #open(): Promise<ServerSession> {
    if (this.#closed.signal.aborted) return Promise.reject(closedFailure());
    this.#session ??= this.#launch().catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  async #launch(): Promise<ServerSession> {
    this.#changes.forget();
    const config = projectConfig(this.#root);
    const session = await connect(this.#root, config, this.#options, this.#closed.signal);
    await whileAwake(session, () => openProject(session));
    return session;
  }

  async #refresh(session: ServerSession): Promise<void> {
    const changes = this.#changes.take();
    if (!changes) return;
    try {
      await whileAwake(session, () => openProject(session, changes));
    } catch (error) {
      this.#changes.requeue(changes);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const session = await this.#session?.catch(() => undefined);
    this.#session = undefined;
    if (session) await closeSession(session);
  }
}

function closedFailure(): CheckerFailure {
  return new CheckerFailure("the TypeScript server was closed");
}
