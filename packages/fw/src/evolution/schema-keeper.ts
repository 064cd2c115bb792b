import { existsSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../lib/replace-file.ts";
import type { App } from "../model/app.ts";
import { recordedSchema, schemaFile, schemaText } from "./recorded.ts";

/** Milliseconds after which a live version's schema is written, so that a save need not wait for the write. */
const keepDelayMs = 500;

/** Stores the schema of the live version in a data directory, to compare the next version with it. */
export class SchemaKeeper {
  readonly #directory: string;
  #live: App | undefined;
  #text = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes the schema of this application after a delay, unless a newer one replaces it by then. */
  keep(app: App): void {
    this.#live = app;
    this.#timer ??= setTimeout(() => this.flush(), keepDelayMs).unref();
  }

  /** Writes a pending schema. Skips a missing directory, which contains no data to compare with. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#live === undefined || !existsSync(this.#directory)) return;
    const text = schemaText(recordedSchema(this.#live));
    this.#live = undefined;
    if (text === this.#text) return;
    this.#text = text;
    try {
      replaceFile(join(this.#directory, schemaFile), text, { mode: 0o600 });
    } catch {
      // A full disk must not stop the dev server. The next version tries again.
      this.#text = "";
    }
  }
}
