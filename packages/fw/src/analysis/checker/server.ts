import type { Project } from "typescript/unstable/async";
import { Changes } from "./changes.ts";
import { projectConfig } from "./config.ts";
import { asFailure, CheckerFailure, ServerStopped } from "./failure.ts";
import { openProject, whileOpened } from "./program.ts";
import { closeSession, connect, whileAwake, type CheckerOptions, type Session } from "./session.ts";

/** Keeps a TypeScript server for one application, and puts another in the place of one that dies. */
export class Server {
  readonly #root: string;
  readonly #options: CheckerOptions;
  #session: Promise<Session> | undefined;
  #updating: Promise<unknown> = Promise.resolve();
  readonly #changes: Changes = new Changes();
  readonly #closed: AbortController = new AbortController();

  constructor(root: string, options: CheckerOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Starts, or takes up what was saved, before the question that waits for it. A failure is that question's to meet. */
  start(): void {
    this.#current(this.#open()).catch(() => undefined);
  }

  /** Takes note of a saved file by its absolute path; the next question sees it. */
  note(path: string, kind: "changed" | "created" | "deleted"): void {
    this.#changes.note(path, kind);
  }

  /** Asks once more on a fresh server when the first one dies, and never a third time. */
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
      return await whileAwake(session, () => whileOpened(session.opened, work));
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
    if (this.#closed.signal.aborted) return Promise.reject(closedFailure());
    this.#session ??= this.#launch().catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  async #launch(): Promise<Session> {
    this.#changes.forget();
    const config = projectConfig(this.#root);
    const session = await connect(this.#root, config, this.#options, this.#closed.signal);
    await whileAwake(session, () => openProject(session));
    return session;
  }

  async #refresh(session: Session): Promise<void> {
    const saved = this.#changes.take();
    if (!saved) return;
    try {
      await whileAwake(session, () => openProject(session, saved));
    } catch (error) {
      this.#changes.giveBack(saved);
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
