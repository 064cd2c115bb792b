import { existsSync } from "node:fs";
import { join } from "node:path";
import { clientPath } from "../generate/client/client.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import { messageOf } from "../lib/thrown.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { consoleModelFile, openApiFile } from "./kept-files.ts";
import { writeGenerated } from "./write-generated.ts";
import type { Workspace } from "./workspace.ts";

/** Who is told what becomes of generated files. */
export interface GeneratedEvents {
  /** No client can be made of what was read last; the one before stays. Told once. */
  refused(diagnostics: readonly Diagnostic[]): void;
  /** A file cannot be written; a sentence. */
  failed(why: string): void;
}

/** Keeps current what is generated of an application for others: its OpenAPI document, what the console shows of it, and its client where there is one. */
export class GeneratedFiles {
  readonly #workspace: Workspace;
  readonly #events: GeneratedEvents;
  readonly #queue: SerialQueue = new SerialQueue();
  #refused = "";

  constructor(workspace: Workspace, events: GeneratedEvents) {
    this.#workspace = workspace;
    this.#events = events;
  }

  /** Brings the files up to what was read last. */
  follow(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#writeClient();
      this.#write(openApiFile, JSON.stringify(await this.#workspace.openApi(), undefined, 2));
      this.#write(consoleModelFile, JSON.stringify(await this.#workspace.consoleModel()));
    });
  }

  async #writeClient(): Promise<void> {
    if (!existsSync(join(this.#workspace.root, clientPath))) return;
    const made = await this.#workspace.client();
    const refused = "refusals" in made ? JSON.stringify(made.refusals) : "";
    if ("refusals" in made && refused !== this.#refused) this.#events.refused(made.refusals);
    this.#refused = refused;
    if ("text" in made) this.#write(clientPath, made.text);
  }

  #write(path: string, text: string): void {
    try {
      writeGenerated(join(this.#workspace.root, path), text);
    } catch (error) {
      this.#events.failed(`${path} cannot be written: ${messageOf(error)}`);
    }
  }
}
