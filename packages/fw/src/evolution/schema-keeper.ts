import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../model/app.ts";
import { recordedSchema, schemaFile, schemaText } from "./recorded.ts";

/** Milliseconds after a version went live before its schema is written: a save must not wait for it. */
const keepDelayMs = 500;

/** Keeps the schema of the live version in a data directory, so that the next version can be compared with it. */
export class SchemaKeeper {
  readonly #directory: string;
  #live: App | undefined;
  #text = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes the schema of this application soon; of several, that of the last one. */
  keep(app: App): void {
    this.#live = app;
    this.#timer ??= setTimeout(() => this.flush(), keepDelayMs).unref();
  }

  /** Writes pending changes. A missing directory contains no data to compare. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#live === undefined || !existsSync(this.#directory)) return;
    const text = schemaText(recordedSchema(this.#live));
    this.#live = undefined;
    if (text === this.#text) return;
    this.#text = text;
    const path = join(this.#directory, schemaFile);
    try {
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch {
      // A disk that is full must not end the dev server; the next version writes again.
      this.#text = "";
    }
  }
}
