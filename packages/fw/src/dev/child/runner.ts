import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { exportAll, newModule, reachable, untouched, waitsOn, type Generation, type Module } from "./module.ts";
import type { Resolution } from "../../workspace/module-resolver.ts";
import { SourceError } from "./source-error.ts";
import { Sources, type Exports, type SourcesOptions } from "./sources.ts";
import type { Transformed } from "./transform.ts";

/** Evaluates an application's modules, and after a change only those that the change reaches. */
export interface Runner {
  /** Transforms files that a load is about to be told of, so that it finds the work done. */
  ahead(changed: Iterable<string>): void;
  /**
   * Evaluates `entry` with every module that `changed` reaches evaluated anew. What ran before is untouched until
   * the returned `commit` is called; when this throws, the changes are kept for the next call.
   */
  load(entry: string, changed: Iterable<string>, moved?: boolean): Promise<Loaded>;
  /** The transformed module behind a path of a stack trace. */
  readonly transformed: (path: string) => Transformed | undefined;
}

interface Loaded {
  readonly exports: Exports;
  /** How many modules were evaluated. */
  readonly evaluated: number;
  readonly commit: () => void;
}

export interface RunnerOptions extends SourcesOptions {
  readonly root: string;
}

export function createRunner(options: RunnerOptions): Runner {
  const { root } = options;
  const sources = new Sources(options);
  /** Modules that Node itself holds on to. */
  const natives = new Map<string, Exports>();
  let current: Generation = new Map();
  /** The generation that was last begun, whether it went live or not. */
  let latest: Generation = current;
  let pending = new Set<string>();

  async function load(entry: string, changed: Iterable<string>, moved = true): Promise<Loaded> {
    for (const path of changed) pending.add(path);
    for (const path of pending) sources.touch(path);
    if (moved) sources.moved();
    const generation = untouched(await edited(), current);
    const before = generation.size;
    await prepareGraph(entry, generation);
    latest = generation;
    const module = await evaluated(entry, generation, undefined);
    return { exports: module.exports, evaluated: generation.size - before, commit: () => commit(entry, generation) };
  }

  function commit(entry: string, generation: Generation): void {
    pending = new Set();
    current = latest = reachable(entry, generation);
    for (const module of current.values()) module.generation = current;
    sources.keep(current);
  }

  function ahead(changed: Iterable<string>): void {
    for (const path of changed) {
      if (!current.get(path)?.source) continue;
      // Whoever loads the module reports its failure.
      void sources
        .ahead(path)
        .then((source) => source.body())
        .catch(() => {});
    }
  }

  /** The pending modules that run differently now; a comment or a type alone changes nothing that runs. */
  async function edited(): Promise<string[]> {
    const differs = await Promise.all([...pending].map(async (path) => !(await runsTheSame(path))));
    return [...pending].filter((_, i) => differs[i]);
  }

  async function runsTheSame(path: string): Promise<boolean> {
    const module = current.get(path);
    // A debugger shows the text that it was given with the code.
    if (module?.source === undefined || options.debug) return false;
    const source = await sources.get(path).catch(() => undefined);
    if (source?.code !== module.source.code) return false;
    module.source = source;
    return true;
  }

  /** Transforms everything that `entry` imports, side by side, so that a mistake shows before any code runs. */
  async function prepareGraph(entry: string, generation: Generation): Promise<void> {
    const seen = new Set<string>(generation.keys());
    for (let wave = [entry]; wave.length > 0;) {
      const next: string[] = [];
      for (const { path, imports } of await Promise.all(wave.filter(isCode).map((path) => sources.get(path)))) {
        for (const specifier of imports) {
          const target = sources.resolve(specifier, path);
          if (target.kind === "native" || seen.has(target.path)) continue;
          seen.add(target.path);
          next.push(target.path);
        }
      }
      wave = next;
    }
  }

  /** The module at `path`, evaluated, or on its way when waiting for it would be waiting for oneself. */
  async function evaluated(path: string, generation: Generation, importer: Module | undefined): Promise<Module> {
    const module = generation.get(path) ?? begin(path, generation);
    importer?.imports.add(path);
    if (module.done || (importer && waitsOn(module, importer))) return module;
    if (importer) importer.waitsFor = module;
    await module.evaluation;
    if (importer) importer.waitsFor = undefined;
    return module;
  }

  function begin(path: string, generation: Generation): Module {
    const module = newModule(path, generation);
    generation.set(path, module);
    module.evaluation = evaluate(module);
    // Whoever imports the module reports its failure.
    module.evaluation.catch(() => {});
    return module;
  }

  async function evaluate(module: Module): Promise<void> {
    if (isCode(module.path)) await run(module);
    else module.exports.default = parseJson(module.path);
    module.done = true;
  }

  async function run(module: Module): Promise<void> {
    const source = await sources.get(module.path);
    module.source = source;
    await source.body()(
      module.exports,
      (specifier, details) => imported(specifier, module, details?.importedNames),
      (specifier) => importedLater(String(specifier), module),
      (from) => exportAll(module.exports, from),
      module.importMeta,
    );
  }

  /** What a static import gets; at once where it is there, since most of them find it so. */
  function imported(specifier: string, importer: Module, names: readonly string[] = []): Exports | Promise<Exports> {
    const target = sources.resolve(specifier, importer.path);
    const there = target.kind === "native" ? natives.get(target.url) : finished(target.path, importer);
    if (there !== undefined) return checked(there, names, specifier, importer);
    return importedNow(target, importer).then((exports) =>
      isSettled(target, importer) ? checked(exports, names, specifier, importer) : exports,
    );
  }

  async function importedNow(target: Resolution, importer: Module): Promise<Exports> {
    if (target.kind === "native") return native(target.url);
    return (await evaluated(target.path, importer.generation, importer)).exports;
  }

  function checked(exports: Exports, names: readonly string[], specifier: string, importer: Module): Exports {
    const missing = names.find((name) => !(name in exports));
    if (missing === undefined) return exports;
    throw sources.refuse(`"${specifier}" has no export named ${missing}`, specifier, importer.path);
  }

  /** A dynamic import runs outside of the evaluation's order, so nothing counts as waiting for it. */
  async function importedLater(specifier: string, importer: Module): Promise<Exports> {
    const target = sources.resolve(specifier, importer.path);
    if (target.kind === "native") return native(target.url);
    const module = await evaluated(target.path, importer.generation, undefined);
    importer.imports.add(target.path);
    return module.exports;
  }

  async function native(url: string): Promise<Exports> {
    const exports = (await import(url)) as Exports;
    natives.set(url, exports);
    return exports;
  }

  function parseJson(path: string): unknown {
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      throw new SourceError(`${relative(root, path)} is not JSON: ${(error as Error).message}`, path, 1, 1);
    }
  }

  return { ahead, load, transformed: (path) => (latest.get(path) ?? current.get(path))?.source };
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
