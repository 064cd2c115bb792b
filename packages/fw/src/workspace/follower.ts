import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { clientPath } from "../generate/client/client.ts";
import { checkerFailureOf } from "../lib/checker-failure.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import { messageOf } from "../lib/thrown.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { SortedChanges } from "./changes.ts";
import { envProblems } from "./env.ts";
import { consoleModelFile, openApiFile } from "./kept-files.ts";
import { Saves } from "./saves.ts";
import type { BuildEvents } from "./site/builds.ts";
import type { Change } from "./watch/watcher.ts";
import { Workspace, type Contents, type WorkspaceOptions } from "./workspace.ts";
import { writeGenerated } from "./write-generated.ts";

/** There is nothing to run here. */
export class NoDeclarations extends Error {}

/** Who is told what comes of an application's files. */
export interface FollowEvents extends BuildEvents {
  /** Works on what was saved, one burst at a time. */
  saved(changes: readonly Change[]): Promise<void>;
  /** No client can be made of what is live; the one before stays. Told once. */
  clientRefused(diagnostics: readonly Diagnostic[]): void;
  /** What TypeScript says of what is live, which keeps nothing from running. */
  typesChecked(diagnostics: readonly Diagnostic[]): void;
  /** Anything else, a sentence. */
  note(sentence: string): void;
}

/** Milliseconds between a change that went live and the check of its types. */
const pauseMs = 300;

/** An application's files as a server of this machine follows them, from the first reading to the last save. */
export class Follower {
  readonly workspace: Workspace;
  readonly saves: Saves;
  readonly #events: FollowEvents;
  readonly #generating: SerialQueue = new SerialQueue();
  /** Why there was no client the last time, as JSON. */
  #refused = "";
  #checking = new AbortController();
  #stopped = false;

  constructor(options: Omit<WorkspaceOptions, "builds">, events: FollowEvents) {
    this.#events = events;
    this.workspace = new Workspace({ ...options, builds: events });
    this.saves = new Saves(
      (changes) => events.saved(changes),
      (error) => this.#defect(error),
    );
  }

  /** Reads everything and hands it on; rejects with NoDeclarations where that is nothing. */
  async start(read: (contents: Contents) => Promise<void>): Promise<void> {
    await this.saves.between(async () => {
      // Watching comes first: what is saved while the application is read is read again.
      this.workspace.watch({
        changed: (changes) => this.saves.add(changes),
        failed: (why) => this.#events.note(why),
      });
      const contents = await this.workspace.read();
      if (contents.app.packages.length === 0 && contents.diagnostics.length === 0) throw new NoDeclarations();
      await read(contents);
    });
  }

  /** Reads what changed; nobody wants the types of before any more. */
  update(changes: SortedChanges): Promise<Contents> {
    this.#checking.abort();
    return this.workspace.update(changes);
  }

  /** Tells what is wrong with `.env`. */
  noteEnvironment(): void {
    for (const problem of envProblems(this.workspace.root)) this.#events.note(problem);
  }

  /** What was read last is live: what nobody waits for follows. */
  live(): void {
    this.#generating.run(() => this.#generate()).catch((error: unknown) => this.#defect(error));
    this.#checkTypes().catch((error: unknown) => this.#defect(error));
  }

  close(): void {
    this.#stopped = true;
    this.#checking.abort();
    this.workspace.close();
  }

  /** Keeps current what is generated for others: the OpenAPI document, what the console shows, and the client where there is one. */
  async #generate(): Promise<void> {
    if (existsSync(join(this.workspace.root, clientPath))) await this.#writeClient();
    this.#write(openApiFile, JSON.stringify(await this.workspace.openApi(), undefined, 2));
    this.#write(consoleModelFile, JSON.stringify(await this.workspace.consoleModel()));
  }

  async #writeClient(): Promise<void> {
    const made = await this.workspace.client();
    const refused = "refusals" in made ? JSON.stringify(made.refusals) : "";
    if ("refusals" in made && refused !== this.#refused) this.#events.clientRefused(made.refusals);
    this.#refused = refused;
    if ("text" in made) this.#write(clientPath, made.text);
  }

  #write(path: string, text: string): void {
    try {
      writeGenerated(join(this.workspace.root, path), text);
    } catch (error) {
      this.#events.note(`${path} cannot be written: ${messageOf(error)}`);
    }
  }

  /** After a pause: whoever saves twice in a row wants the second one live before the first one's types are checked. */
  async #checkTypes(): Promise<void> {
    const { signal } = (this.#checking = new AbortController());
    try {
      await setTimeout(pauseMs, undefined, { signal });
      const diagnostics = await this.workspace.types(signal);
      if (!signal.aborted) this.#events.typesChecked(diagnostics);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Unless everything is being closed anyway. */
  #defect(error: unknown): void {
    if (this.#stopped) return;
    const failure = checkerFailureOf(error);
    if (failure !== undefined)
      return this.#events.note(`${failure}. The application keeps running; save a file to try again.`);
    const stack = error instanceof Error ? error.stack : String(error);
    this.#events.note(`an internal error in fw, please report it: ${stack}`);
  }
}
