import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { App } from "../model/app.ts";
import { writeGenerated } from "./write-generated.ts";

/**
 * A file generated from the model and more. After most saves nothing in them has changed; then it is generated again
 * only if another process has changed or deleted it.
 */
export class GeneratedFile<Input> {
  readonly #path: string;
  readonly #generate: (app: App, input: Input) => string | undefined;
  #last: { readonly app: App; readonly input: Input; readonly stamp: string } | undefined;

  /** `generate` returns undefined to leave the file as it is. */
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

  /** The model is the same object if nothing in it has changed. */
  #isCurrent(app: App, input: Input): boolean {
    return this.#last?.app === app && this.#last.stamp === this.#stamp() && isDeepStrictEqual(this.#last.input, input);
  }

  #stamp(): string {
    const stats = statSync(this.#path, { throwIfNoEntry: false });
    return stats === undefined ? "" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
  }
}
