import { beginDeclaring, keepPlaces } from "../../declare/declaration-records.ts";
import { exposeDeclarations } from "../../generate/expose.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { checkDeclared, DeclarationMismatch, endLoading } from "../../runtime/check-declarations.ts";
import { isA } from "../../lib/thrown.ts";
import type { PreparedModules, SnapshotDelta } from "../protocol.ts";
import { Runner } from "./runner.ts";
import { mapStackTraces } from "./stack.ts";

export interface LoadedBundle {
  readonly bundle: Bundle;
  readonly evaluated: number;
  /** Discards what the new bundle replaces. */
  readonly commit: () => void;
}

/** Evaluates a snapshot, and returns the bundle that the generated entry module exports. */
export class Evaluator {
  readonly #virtual: Map<string, string> = new Map();
  readonly #analysed: Map<string, string> = new Map();
  readonly #runner: Runner;
  readonly #exposed: Map<string, readonly string[]> = new Map();

  constructor(root: string, debug: boolean) {
    this.#runner = new Runner({
      root,
      virtual: this.#virtual,
      analysed: this.#analysed,
      prepare: (path, source) => exposeDeclarations(source, this.#exposed.get(path) ?? []),
      debug,
    });
    mapStackTraces(this.#runner.transformed);
  }

  /** Transforms and compiles modules of the first load in advance. The load's delta omits these generated files. */
  prepare({ files = {}, sources = [] }: PreparedModules): void {
    apply(files, this.#virtual);
    this.#runner.prepare([...sources, ...Object.keys(files)]);
  }

  /** Transforms changed files in advance, before the load that lists them. */
  ahead(changed: readonly string[]): void {
    this.#runner.ahead(changed);
  }

  /**
   * Loads a delta. If it rejects, the previous bundle stays in use. An abort takes effect only after all modules are
   * evaluated.
   */
  async load(delta: SnapshotDelta, signal: AbortSignal): Promise<LoadedBundle> {
    const { entry, files, sources, exposed, changed, pathsChanged } = delta;
    apply(files, this.#virtual);
    apply(sources, this.#analysed);
    apply(exposed, this.#exposed);
    const changedPaths = [...changed, ...[files, sources, exposed].flatMap(Object.keys)];
    const undo = beginDeclaring();
    try {
      const result = await this.#evaluate(entry, changedPaths, pathsChanged);
      signal.throwIfAborted();
      return result;
    } catch (error) {
      const failure = isA(error, DeclarationMismatch) ? await this.#located(error, entry) : error;
      undo();
      throw failure;
    }
  }

  async #evaluate(entry: string, changed: Iterable<string>, pathsChanged: boolean): Promise<LoadedBundle> {
    const { exports, evaluated, commit } = await this.#runner.load(entry, changed, pathsChanged);
    const bundle = exports.default as Bundle;
    checkDeclared(bundle);
    endLoading(bundle);
    return { bundle, evaluated, commit };
  }

  /**
   * Returns a mismatch error with the stack trace of its declaration. Evaluates the modules again with stack traces,
   * because recording them in every evaluation would more than double its time.
   */
  async #located(mismatch: unknown, entry: string): Promise<unknown> {
    const stop = keepPlaces();
    beginDeclaring();
    try {
      await this.#evaluate(entry, [], false);
    } catch (error) {
      if (isA(error, DeclarationMismatch)) return error;
    } finally {
      stop();
    }
    return mismatch;
  }
}

function apply<T>(changes: Readonly<Record<string, T | null>>, to: Map<string, T>): void {
  for (const [path, value] of Object.entries(changes)) {
    if (value === null) to.delete(path);
    else to.set(path, value);
  }
}
