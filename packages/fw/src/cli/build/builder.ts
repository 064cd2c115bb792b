import { BundleError, buildServices, type BuildInput, type BuiltService } from "../../build/build.ts";
import { BundleMemo } from "../../build/memo.ts";
import type { Sorted } from "../../dev/changes.ts";
import type { App } from "../../model/app.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { EntryUses } from "../../model/uses.ts";
import { byPlace } from "../check/diagnose.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { wantsColour } from "../print/colour.ts";
import { printRefusal } from "../test/refused.ts";
import { AppReader } from "./reader.ts";

/** An application whose services are bundled. */
export interface BuiltApp {
  readonly app: App;
  readonly uses: readonly EntryUses[];
  readonly services: readonly BuiltService[];
}

/** Builds the services of an application, and again those that changes concern. */
export class AppBuilder {
  readonly #root: string;
  readonly #io: IO;
  readonly #reader: AppReader;
  #memo = new BundleMemo();
  /** The problems with types that were printed last. */
  #reported = "";

  constructor(root: string, io: IO) {
    this.#root = root;
    this.#io = io;
    this.#reader = new AppReader(root, io);
  }

  /** Undefined, and the problems printed, while a rule stands. Rejects with a Refusal where a service cannot be bundled. */
  async build(changes?: Sorted): Promise<BuiltApp | undefined> {
    if (changes?.project) this.#memo = new BundleMemo();
    const read = await this.#reader.read(changes);
    if (!read.sound) return this.#explain(read.diagnostics);
    return this.#bundle(read.input);
  }

  /** The same, and undefined also while a type is wrong. */
  async buildChecked(): Promise<BuiltApp | undefined> {
    const read = await this.#reader.read();
    const wrong = read.sound ? await this.#reader.typeDiagnostics() : read.diagnostics;
    return read.sound && wrong.length === 0 ? this.#bundle(read.input) : this.#explain(wrong);
  }

  /** Prints what is new of what is wrong with types, which keeps nothing from running. */
  async reportTypes(): Promise<void> {
    const wrong = await this.#reader.typeDiagnostics();
    const text = JSON.stringify(wrong);
    if (wrong.length > 0 && text !== this.#reported) this.#explain(wrong);
    this.#reported = text;
  }

  close(): void {
    this.#reader.close();
  }

  async #bundle(input: BuildInput): Promise<BuiltApp> {
    try {
      return { app: input.app, uses: input.uses, services: await buildServices(input, this.#memo) };
    } catch (error) {
      throw error instanceof BundleError ? new Refusal(error.message) : error;
    }
  }

  #explain(diagnostics: readonly Diagnostic[]): undefined {
    const { out, env } = this.#io;
    out.write(printRefusal(this.#root, diagnostics.toSorted(byPlace), wantsColour(out, env)));
  }
}
