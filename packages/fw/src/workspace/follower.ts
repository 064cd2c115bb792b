import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { clientPath, generateClient } from "../generate/client/client.ts";
import { consoleModel, type ConsoleModel } from "../generate/console-model.ts";
import { documentForms } from "../generate/document-forms.ts";
import { jobForms } from "../generate/job-forms.ts";
import { valueForms } from "../generate/value-forms.ts";
import { mailForms } from "../generate/mail-forms.ts";
import { openApi } from "../generate/openapi/document.ts";
import type { App } from "../model/app.ts";
import type { Descriptions } from "../model/descriptions.ts";
import type { EntryUses } from "../model/uses.ts";
import { checkerFailureOf } from "../lib/checker-failure.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import { messageOf } from "../lib/thrown.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { SortedChanges } from "./changes.ts";
import { envProblems } from "./env.ts";
import { GeneratedFile } from "./generated-file.ts";
import { consoleModelFile, openApiFile } from "./generated-files.ts";
import { Saves } from "./saves.ts";
import type { BuildEvents } from "./site/builds.ts";
import type { Change } from "./watch/watcher.ts";
import { Workspace, type Contents, type WorkspaceOptions } from "./workspace.ts";

/** Thrown if the directory contains no application. */
export class NoDeclarations extends Error {}

/** Listeners for the states of an application's files. */
export interface FollowEvents extends BuildEvents {
  /** Handles saved files, one burst at a time. */
  saved(changes: readonly Change[]): Promise<void>;
  /** Called when the problems that prevent client generation change. The previous client remains. */
  clientRefused(diagnostics: readonly Diagnostic[]): void;
  /** Receives the problems that `Workspace.types` finds in the live application. */
  typesChecked(diagnostics: readonly Diagnostic[]): void;
  /** Receives any other message, as one sentence. */
  note(sentence: string): void;
}

/** Milliseconds between a change going live and the check of its types. */
const pauseMs = 300;

/** Reads an application for a server on this machine, at the start and after each save. */
export class Follower {
  readonly workspace: Workspace;
  readonly saves: Saves;
  readonly #events: FollowEvents;
  readonly #generating: SerialQueue = new SerialQueue();
  readonly #client: GeneratedFile<Descriptions>;
  readonly #openApi: GeneratedFile<Descriptions>;
  readonly #consoleModel: GeneratedFile<{
    readonly uses: readonly EntryUses[];
    readonly languages: readonly string[];
  }>;
  /** The last reasons for not generating the client, as JSON. */
  #lastRefusals = "";
  #checking = new AbortController();
  #stopped = false;

  constructor(options: Omit<WorkspaceOptions, "builds">, events: FollowEvents) {
    this.#events = events;
    this.workspace = new Workspace({ ...options, builds: events });
    const { root } = this.workspace;
    this.#client = new GeneratedFile(join(root, clientPath), (app, descriptions) =>
      this.#clientText(app, descriptions),
    );
    this.#openApi = new GeneratedFile(join(root, openApiFile), (app, descriptions) =>
      JSON.stringify(openApi(app, descriptions), undefined, 2),
    );
    this.#consoleModel = new GeneratedFile(join(root, consoleModelFile), (app, { uses, languages }) =>
      JSON.stringify({
        ...consoleModel(app, uses),
        documents: documentForms(app),
        jobs: jobForms(app),
        forms: valueForms(app),
        mails: mailForms(app),
        languages,
      } satisfies ConsoleModel),
    );
    this.saves = new Saves(
      (changes) => events.saved(changes),
      (error) => this.#reportDefect(error),
      (changes) => this.workspace.concerns(changes),
    );
  }

  /**
   * Passes the paths of the sources to `prepare`, then reads the application and passes it to `read`. Rejects with
   * NoDeclarations if there are neither declarations nor problems.
   */
  async start(
    read: (contents: Contents) => Promise<void>,
    prepare?: (sources: readonly string[]) => void,
  ): Promise<void> {
    await this.saves.runExclusively(async () => {
      // Watching starts before reading, so that a file saved in between is read again.
      this.workspace.watch({
        changed: (changes) => this.saves.add(changes),
        failed: (why) => this.#events.note(why),
      });
      prepare?.(this.workspace.sourcePaths());
      const contents = await this.workspace.read();
      if (contents.app.packages.length === 0 && contents.diagnostics.length === 0) throw new NoDeclarations();
      await read(contents);
    });
  }

  /** Reads changed files. Aborts a type check of the previous state. */
  update(changes: SortedChanges): Promise<Contents> {
    this.#checking.abort();
    return this.workspace.update(changes);
  }

  /** Reports invalid lines of `.env`. */
  noteEnvironment(): void {
    for (const problem of envProblems(this.workspace.root)) this.#events.note(problem);
  }

  /** Starts to update the generated files and to check the types, for the state that has just gone live. */
  live(): void {
    this.#generating.run(() => this.#generate()).catch((error: unknown) => this.#reportDefect(error));
    this.#checkTypes().catch((error: unknown) => this.#reportDefect(error));
  }

  close(): void {
    this.#stopped = true;
    this.#checking.abort();
    this.workspace.close();
  }

  /**
   * Updates the generated files: the OpenAPI document, the console's model, and the client if the application has one.
   */
  async #generate(): Promise<void> {
    const descriptions = await this.workspace.analyzer.descriptions();
    const { app, analyzer, root } = this.workspace;
    if (existsSync(join(root, clientPath))) this.#write(clientPath, () => this.#client.update(app, descriptions));
    this.#write(openApiFile, () => this.#openApi.update(app, descriptions));
    const uses = await analyzer.uses();
    const languages = this.workspace.languages();
    this.#write(consoleModelFile, () => this.#consoleModel.update(app, { uses, languages }));
  }

  #clientText(app: App, descriptions: Descriptions): string | undefined {
    const client = generateClient(app, descriptions);
    const refusals = "refusals" in client ? JSON.stringify(client.refusals) : "";
    if ("refusals" in client && refusals !== this.#lastRefusals) this.#events.clientRefused(client.refusals);
    this.#lastRefusals = refusals;
    return "text" in client ? client.text : undefined;
  }

  #write(path: string, update: () => void): void {
    try {
      update();
    } catch (error) {
      this.#events.note(`${path} cannot be written: ${messageOf(error)}`);
    }
  }

  /** Checks the live application's types, after a pause so that a quick second save can go live first. */
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

  /** Reports an internal error unless the follower is closing. */
  #reportDefect(error: unknown): void {
    if (this.#stopped) return;
    const failure = checkerFailureOf(error);
    if (failure !== undefined)
      return this.#events.note(`${failure}. The application keeps running; save a file to try again.`);
    const stack = error instanceof Error ? error.stack : String(error);
    this.#events.note(`an internal error in fw, please report it: ${stack}`);
  }
}
