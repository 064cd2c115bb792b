import type { Project } from "typescript/unstable/async";
import { PendingChanges } from "./pending-changes.ts";
import { CheckerFailure } from "../../lib/checker-failure.ts";
import { asFailure, ServerStopped } from "./failure.ts";
import { openProject, withProgram } from "./program.ts";
import { closeSession, connect, whileAwake, type CheckerOptions, type ServerSession } from "./session.ts";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../lib/read-file.ts";

/** The settings for an application without a tsconfig.json: strict, and limited to what Node runs. */
const defaults = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "ESNext.Disposable"],
    module: "NodeNext",
    moduleResolution: "NodeNext",
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ["../**/*.ts", "../**/*.mts"],
  exclude: ["../**/node_modules", "../**/.*/*", "../dist"],
};

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

  /** Runs a query; retries once on a fresh server if the first one dies. Rejects with a CheckerFailure if both die. */
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
    await whileAwake(session, async () => {
      await openProject(session);
      if (session.changes) await openProject(session, session.changes);
    });
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

/**
 * Returns the path of the tsconfig.json to open: the application's own, or defaults written to `.fw/`. Synchronous, so
 * that it never writes after `close`.
 */
function projectConfig(root: string): string {
  const own = join(root, "tsconfig.json");
  if (existsSync(own)) return own;
  const generated = join(root, ".fw", "tsconfig.json");
  const text = `${JSON.stringify(defaults, null, 2)}\n`;
  if (readText(generated) !== text) {
    mkdirSync(join(root, ".fw"), { recursive: true });
    writeFileSync(generated, text);
  }
  return generated;
}
