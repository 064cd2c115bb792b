import { readFileSync } from "node:fs";
import { relative } from "node:path";
import {
  exportAll,
  importMeta,
  newModule,
  reachable,
  untouched,
  waitsOn,
  type Generation,
  type Module,
} from "./module.ts";
import { createModuleResolver, type Resolution } from "../../workspace/module-resolver.ts";
import { SourceError } from "./source-error.ts";
import { Sources, type Exports, type SourcesOptions } from "./sources.ts";
import type { Transformed } from "./transform.ts";

interface LoadResult {
  readonly exports: Exports;
  readonly evaluated: number;
  readonly commit: () => void;
}

export interface RunnerOptions extends Omit<SourcesOptions, "resolver"> {
  readonly root: string;
}

/** Evaluates an application's modules; after a change, only the affected ones. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #sources: Sources;
  /** Modules that Node's own loader has loaded. */
  readonly #natives = new Map<string, Exports>();
  #current: Generation = new Map();
  /** The newest generation, even if it did not go live. */
  #latest: Generation = this.#current;
  #pending = new Set<string>();

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#sources = new Sources({ ...options, resolver: createModuleResolver(options.root) });
  }

  /** Returns the transformed module for a path in a stack trace. */
  readonly transformed = (path: string): Transformed | undefined =>
    (this.#latest.get(path) ?? this.#current.get(path))?.source;

  /**
   * Evaluates `entry`, or after a change only the modules that `changed` affects. The running version stays in use
   * until `commit`; after an error, the next call includes the changes again.
   */
  async load(entry: string, changed: Iterable<string>, pathsChanged = true): Promise<LoadResult> {
    for (const path of changed) this.#pending.add(path);
    for (const path of this.#pending) this.#sources.touch(path);
    if (pathsChanged) this.#sources.forgetTargets();
    const generation = untouched(await this.#edited(), this.#current);
    const before = generation.size;
    await this.#prepareGraph(entry, generation);
    this.#latest = generation;
    const module = await this.#evaluated(entry, generation, undefined);
    return {
      exports: module.exports,
      evaluated: generation.size - before,
      commit: () => this.#commit(entry, generation),
    };
  }

  #commit(entry: string, generation: Generation): void {
    this.#pending = new Set();
    this.#current = this.#latest = reachable(entry, generation);
    for (const module of this.#current.values()) module.generation = this.#current;
    this.#sources.keep(this.#current);
  }

  /** Transforms in advance the files that the next load will list. */
  ahead(changed: Iterable<string>): void {
    this.prepare([...changed].filter((path) => this.#current.get(path)?.source));
  }

  /** Transforms and compiles modules in advance from their current text, which the load checks again. */
  prepare(paths: Iterable<string>): void {
    for (const path of paths) {
      // The load reports the failure.
      void this.#sources
        .ahead(path)
        .then((source) => source.body())
        .catch(() => {});
    }
  }

  /** Returns the pending modules whose compiled code has changed. Changes to comments or types have no effect. */
  async #edited(): Promise<string[]> {
    const differs = await Promise.all([...this.#pending].map(async (path) => !(await this.#runsTheSame(path))));
    return [...this.#pending].filter((_, i) => differs[i]);
  }

  async #runsTheSame(path: string): Promise<boolean> {
    const module = this.#current.get(path);
    // A debugger shows the text that it received with the code, so even a changed comment counts.
    if (module?.source === undefined || this.#options.debug) return false;
    const source = await this.#sources.get(path).catch(() => undefined);
    if (source?.code !== module.source.code) return false;
    module.source = source;
    return true;
  }

  /** Transforms everything that `entry` imports, in parallel, so that a syntax error surfaces before any code runs. */
  async #prepareGraph(entry: string, generation: Generation): Promise<void> {
    const visited = new Set<string>(generation.keys());
    for (let wave = [entry]; wave.length > 0;) {
      const next: string[] = [];
      for (const { path, imports } of await Promise.all(wave.filter(isCode).map((path) => this.#sources.get(path)))) {
        for (const specifier of imports) {
          const target = this.#sources.resolve(specifier, path);
          if (target.kind === "native" || visited.has(target.path)) continue;
          visited.add(target.path);
          next.push(target.path);
        }
      }
      wave = next;
    }
  }

  /** Evaluates the module at `path`. Returns an unfinished module if waiting would cause a deadlock. */
  async #evaluated(path: string, generation: Generation, importer: Module | undefined): Promise<Module> {
    const module = generation.get(path) ?? this.#begin(path, generation);
    importer?.imports.add(path);
    if (module.done || (importer && waitsOn(module, importer))) return module;
    if (importer) importer.waitsFor = module;
    await module.evaluation;
    if (importer) importer.waitsFor = undefined;
    return module;
  }

  #begin(path: string, generation: Generation): Module {
    const module = newModule(path, generation);
    generation.set(path, module);
    module.evaluation = this.#evaluate(module);
    // The importing module reports the failure.
    module.evaluation.catch(() => {});
    return module;
  }

  async #evaluate(module: Module): Promise<void> {
    if (isCode(module.path)) await this.#run(module);
    else module.exports.default = this.#parseJson(module.path);
    module.done = true;
  }

  async #run(module: Module): Promise<void> {
    const source = await this.#sources.get(module.path);
    module.source = source;
    await source.body()(
      module.exports,
      (specifier, details) => this.#imported(specifier, module, details?.importedNames),
      (specifier) => this.#importedLater(String(specifier), module),
      (from) => exportAll(module.exports, from),
      source.usesImportMeta ? importMeta(module.path) : undefined,
    );
  }

  /** Resolves a static import, without waiting in the usual case that the module is already evaluated. */
  #imported(specifier: string, importer: Module, names: readonly string[] = []): Exports | Promise<Exports> {
    const target = this.#sources.resolve(specifier, importer.path);
    const loaded = target.kind === "native" ? this.#natives.get(target.url) : finished(target.path, importer);
    if (loaded !== undefined) return this.#checked(loaded, names, specifier, importer);
    return this.#importedNow(target, importer).then((exports) =>
      isSettled(target, importer) ? this.#checked(exports, names, specifier, importer) : exports,
    );
  }

  async #importedNow(target: Resolution, importer: Module): Promise<Exports> {
    if (target.kind === "native") return this.#native(target.url);
    return (await this.#evaluated(target.path, importer.generation, importer)).exports;
  }

  #checked(exports: Exports, names: readonly string[], specifier: string, importer: Module): Exports {
    const missing = names.find((name) => !(name in exports));
    if (missing === undefined) return exports;
    throw this.#sources.refuse(`"${specifier}" has no export named ${missing}`, specifier, importer.path);
  }

  /** Resolves a dynamic import. It is not part of the evaluation order, so no module counts as waiting for it. */
  async #importedLater(specifier: string, importer: Module): Promise<Exports> {
    const target = this.#sources.resolve(specifier, importer.path);
    if (target.kind === "native") return this.#native(target.url);
    const module = await this.#evaluated(target.path, importer.generation, undefined);
    importer.imports.add(target.path);
    return module.exports;
  }

  async #native(url: string): Promise<Exports> {
    const exports = (await import(url)) as Exports;
    this.#natives.set(url, exports);
    return exports;
  }

  #parseJson(path: string): unknown {
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      throw new SourceError(
        `${relative(this.#options.root, path)} is not valid JSON: ${(error as Error).message}`,
        path,
        1,
        1,
      );
    }
  }
}

function isCode(path: string): boolean {
  return !path.endsWith(".json");
}

function finished(path: string, importer: Module): Exports | undefined {
  const module = importer.generation.get(path);
  if (!module?.done) return undefined;
  importer.imports.add(path);
  return module.exports;
}

function isSettled(target: Resolution, importer: Module): boolean {
  return target.kind === "native" || importer.generation.get(target.path)?.done === true;
}
