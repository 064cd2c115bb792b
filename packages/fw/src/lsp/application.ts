import { existsSync } from "node:fs";
import { relative, sep } from "node:path";
import { SerialQueue } from "../lib/serial-queue.ts";
import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { type Contents, Workspace } from "../workspace/workspace.ts";
import type { Change } from "../workspace/watch/watcher.ts";
import type { Documents } from "./documents.ts";
import { Published } from "./published.ts";

export interface ApplicationOptions {
  /** Absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly documents: Documents;
  /** True where TypeScript's own errors are to be told, too. */
  readonly types: boolean;
  readonly notify: (method: string, params: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** What is known of an application as the client has it. */
export interface Current {
  readonly workspace: Workspace;
  readonly contents: Contents;
  /** The application as it was when all of it parsed last: while something is typed its declarations are not there. */
  readonly whole: App;
}

/** An application as a client edits it: read once, and again with every change, of which the newest is told. */
export class Application {
  readonly root: string;
  readonly #options: ApplicationOptions;
  readonly #workspace: Workspace;
  readonly #published: Published;
  readonly #queue: SerialQueue = new SerialQueue();
  #contents: Contents | undefined;
  #whole: App | undefined;
  #waiting: Change[] = [];
  /** How many times something changed: what was begun before the last one is told to nobody. */
  #changes = 0;
  #judging: AbortController = new AbortController();
  #closed = false;

  constructor(options: ApplicationOptions) {
    const { root, env, documents, notify } = options;
    this.root = root;
    this.#options = options;
    this.#workspace = new Workspace({ root, env, unsaved: documents.texts });
    this.#published = new Published(root, documents, notify);
    this.#workspace.watch({
      changed: (changes) => this.#changedOnDisk(changes),
      failed: (why) => options.failed(new Error(why)),
    });
    this.#run(() => this.#read());
  }

  /** Takes what changed, in the client or on disk. */
  change(changes: readonly Change[]): void {
    this.#changes += 1;
    this.#judging.abort();
    this.#waiting.push(...changes);
    this.#run(() => this.#update());
  }

  /** True for a file that it is made of. */
  reads(path: string): boolean {
    return this.#workspace.sources.has(relative(this.root, path).split(sep).join("/"));
  }

  /** What `work` makes of the application with every change that was told before. */
  current<T>(work: (current: Current) => Promise<T>): Promise<T | undefined> {
    return this.#queue.run(async () =>
      this.#contents === undefined || this.#closed
        ? undefined
        : work({
            workspace: this.#workspace,
            contents: this.#contents,
            whole: this.#whole ?? this.#contents.app,
          }),
    );
  }

  close(): void {
    this.#closed = true;
    this.#judging.abort();
    this.#workspace.close();
    this.#published.replace([]);
  }

  /** What is open counts as it stands there. */
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
    this.#tell(changes, await this.#workspace.read());
  }

  async #update(): Promise<void> {
    const changes = this.#changes;
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0 || this.#closed) return;
    this.#tell(changes, await this.#workspace.update(this.#workspace.classify(waiting)));
  }

  #tell(changes: number, contents: Contents): void {
    this.#contents = contents;
    if (!contents.diagnostics.some(({ code }) => code === "syntax")) this.#whole = contents.app;
    if (changes !== this.#changes || this.#closed) return;
    this.#published.replace(contents.diagnostics);
    void this.#judge(contents.diagnostics);
  }

  /** What it takes TypeScript to find follows, unless something changes before. */
  async #judge(before: readonly Diagnostic[]): Promise<void> {
    const { signal } = (this.#judging = new AbortController());
    const judge = this.#options.types ? "types" : "typed";
    try {
      const found = await this.#workspace[judge](signal);
      if (!signal.aborted) this.#published.replace([...before, ...found]);
    } catch (error) {
      if (!signal.aborted) this.#options.failed(error);
    }
  }
}

/** What it is for an application that the client opens or closes a file. */
export function opened(path: string): Change {
  return { path, kind: existsSync(path) ? "changed" : "created" };
}

export function closed(path: string): Change {
  return { path, kind: existsSync(path) ? "changed" : "deleted" };
}
