import { existsSync } from "node:fs";
import { join } from "node:path";
import { clientPath } from "../generate/client/client.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { writeGenerated } from "./write-generated.ts";
import type { Workspace } from "./workspace.ts";

/** Who is told what becomes of the client. */
export interface ClientEvents {
  /** It cannot be made of what was read last; the one before stays. Told once. */
  refused(diagnostics: readonly Diagnostic[]): void;
  /** It cannot be written; a sentence. */
  failed(why: string): void;
}

/** Keeps the client of an application current, where there is one. */
export class ClientFile {
  readonly #workspace: Workspace;
  readonly #events: ClientEvents;
  readonly #queue: SerialQueue = new SerialQueue();
  #refused = "";

  constructor(workspace: Workspace, events: ClientEvents) {
    this.#workspace = workspace;
    this.#events = events;
  }

  /** Brings the file up to what was read last. */
  follow(): Promise<void> {
    return this.#queue.run(() => this.#write());
  }

  async #write(): Promise<void> {
    const path = join(this.#workspace.root, clientPath);
    if (!existsSync(path)) return;
    const made = await this.#workspace.client();
    const refused = "refusals" in made ? JSON.stringify(made.refusals) : "";
    if ("refusals" in made && refused !== this.#refused) this.#events.refused(made.refusals);
    this.#refused = refused;
    try {
      if ("text" in made) writeGenerated(path, made.text);
    } catch (error) {
      this.#events.failed(`${clientPath} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
