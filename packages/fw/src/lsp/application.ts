import { existsSync } from "node:fs";
import { relativePath } from "../lib/relative-path.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { type Contents, Workspace } from "../workspace/workspace.ts";
import type { Change } from "../workspace/watch/watcher.ts";
import type { Documents } from "./documents.ts";
import { PublishedDiagnostics } from "./published-diagnostics.ts";

export interface ApplicationOptions {
  /** Absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly documents: Documents;
  /** True to report TypeScript's own errors as well. */
  readonly types: boolean;
  readonly notify: (method: string, params: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** The state of an application, with the client's unsaved files. */
export interface ApplicationState {
  readonly workspace: Workspace;
  readonly contents: Contents;
  /** The last model without syntax errors: the current one may lack declarations while the user types. */
  readonly lastParsed: App;
}

/** An application that is open in an editor. Analyzes it after every change, and publishes only the newest state. */
export class Application {
  readonly root: string;
  readonly #options: ApplicationOptions;
  readonly #workspace: Workspace;
  readonly #published: PublishedDiagnostics;
  readonly #queue: SerialQueue = new SerialQueue();
  #contents: Contents | undefined;
  #lastParsed: App | undefined;
  #waiting: Change[] = [];
  /** The number of changes so far; results of an older state are discarded. */
  #changes = 0;
  #checking: AbortController = new AbortController();
  #closed = false;

  constructor(options: ApplicationOptions) {
    const { root, env, documents, notify } = options;
    this.root = root;
    this.#options = options;
    this.#workspace = new Workspace({ root, env, unsaved: documents.texts });
    this.#published = new PublishedDiagnostics(root, documents, notify);
    this.#workspace.watch({
      changed: (changes) => this.#changedOnDisk(changes),
      failed: (why) => options.failed(new Error(why)),
    });
    this.#run(() => this.#read());
  }

  /** Applies changes made in the client or on disk. */
  change(changes: readonly Change[]): void {
    this.#changes += 1;
    this.#checking.abort();
    this.#waiting.push(...changes);
    this.#run(() => this.#update());
  }

  /** True for a module that the application has read, even from outside its directory. */
  reads(path: string): boolean {
    return this.#workspace.sources.has(relativePath(this.root, path));
  }

  /**
   * Runs work on the application after all earlier changes. Resolves with undefined if the application is closed, or if
   * it could not be read.
   */
  current<T>(work: (current: ApplicationState) => Promise<T>): Promise<T | undefined> {
    return this.#queue.run(async () =>
      this.#contents === undefined || this.#closed
        ? undefined
        : work({
            workspace: this.#workspace,
            contents: this.#contents,
            lastParsed: this.#lastParsed ?? this.#contents.app,
          }),
    );
  }

  close(): void {
    this.#closed = true;
    this.#checking.abort();
    this.#workspace.close();
    this.#published.replace([]);
  }

  /** Skips files that are open in the client, because their unsaved text takes precedence. */
  #changedOnDisk(changes: readonly Change[]): void {
    const others = changes.filter(({ path }) => this.#options.documents.get(path) === undefined);
    if (others.length > 0) this.change(others);
  }

  #run(work: () => Promise<void>): void {
    this.#queue.run(work).catch((error: unknown) => {
      if (!this.#closed) this.#options.failed(error);
    });
  }

  async #read(): Promise<void> {
    const changes = this.#changes;
    this.#publish(changes, await this.#workspace.read());
  }

  async #update(): Promise<void> {
    const changes = this.#changes;
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0 || this.#closed) return;
    this.#publish(changes, await this.#workspace.update(this.#workspace.classify(waiting)));
  }

  #publish(changes: number, contents: Contents): void {
    this.#contents = contents;
    if (!contents.diagnostics.some(({ code }) => code === "syntax")) this.#lastParsed = contents.app;
    if (changes !== this.#changes || this.#closed) return;
    this.#published.replace(contents.diagnostics);
    void this.#checkTypes(contents.diagnostics);
  }

  /** Publishes the problems that only TypeScript finds, unless something changes first. */
  async #checkTypes(before: readonly Diagnostic[]): Promise<void> {
    const { signal } = (this.#checking = new AbortController());
    const method = this.#options.types ? "types" : "typeProblems";
    try {
      const problems = await this.#workspace[method](signal);
      if (!signal.aborted) this.#published.replace([...before, ...problems]);
    } catch (error) {
      if (!signal.aborted) this.#options.failed(error);
    }
  }
}

/** Returns the change to report when the client opens a file. */
export function openChange(path: string): Change {
  return { path, kind: existsSync(path) ? "changed" : "created" };
}

export function closeChange(path: string): Change {
  return { path, kind: existsSync(path) ? "changed" : "deleted" };
}
