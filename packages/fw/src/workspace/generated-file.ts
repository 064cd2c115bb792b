import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { App } from "../model/app.ts";
import { writeGenerated } from "./write-generated.ts";

/**
 * A file generated from the model and further input. It is regenerated only if one of these has changed, or if another
 * process has changed or deleted it.
 */
export class GeneratedFile<Input> {
  readonly #path: string;
  readonly #generate: (app: App, input: Input) => string | undefined;
  #last: { readonly app: App; readonly input: Input; readonly stamp: string } | undefined;

  /** `generate` returns undefined to leave the file unchanged. */
  constructor(path: string, generate: (app: App, input: Input) => string | undefined) {
    this.#path = path;
    this.#generate = generate;
  }

  update(app: App, input: Input): void {
    if (this.#isCurrent(app, input)) return;
    const text = this.#generate(app, input);
    if (text !== undefined) writeGenerated(this.#path, text);
    this.#last = { app, input, stamp: this.#stamp() };
  }

  /** True if the file is up to date. Compares models by identity, because an unchanged model is the same object. */
  #isCurrent(app: App, input: Input): boolean {
    return this.#last?.app === app && this.#last.stamp === this.#stamp() && isDeepStrictEqual(this.#last.input, input);
  }

  #stamp(): string {
    const stats = statSync(this.#path, { throwIfNoEntry: false });
    return stats === undefined ? "" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
  }
}
