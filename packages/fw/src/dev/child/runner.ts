import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, relative } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import type { ModuleResolver, Resolution } from "./resolve.ts";
import { SourceError } from "./source-error.ts";
import { transformGenerated, transformModule, type Transformed } from "./transform.ts";

/** Evaluates an application's modules, and after a change only those that the change reaches. */
export interface Runner {
  /**
   * Evaluates `entry` with every module that `changed` reaches evaluated anew. What ran before is untouched until
   * the returned `commit` is called; when this throws, the changes are kept for the next call.
   */
  load(entry: string, changed: Iterable<string>): Promise<Loaded>;
  /** The transformed module behind a path of a stack trace. */
  readonly transformed: (path: string) => Transformed | undefined;
}

interface Loaded {
  readonly exports: Exports;
  /** How many modules were evaluated. */
  readonly evaluated: number;
  readonly commit: () => void;
}

type Exports = Record<string, unknown>;

export interface RunnerOptions {
  readonly root: string;
  readonly resolver: ModuleResolver;
  /** Text of modules that are not on disk, by the specifier that others import them with. */
  readonly virtual: ReadonlyMap<string, string>;
  /** What the application's source becomes before it is transformed. */
  readonly prepare?: (path: string, source: string) => string;
  /** Appends each module's source map for a debugger. */
  readonly debug?: boolean;
}

interface Module {
  readonly path: string;
  readonly exports: Exports;
  /** What it imported, statically or later. */
  readonly imports: Set<string>;
  readonly importMeta: ImportMeta;
  /** The modules that its dynamic imports see: the newest generation it is part of. */
  generation: Generation;
  /** The module that its evaluation waits for just now. */
  waitsFor: Module | undefined;
  evaluation: Promise<void>;
  done: boolean;
}

type Generation = Map<string, Module>;

const parameters =
  "__vite_ssr_exports__,__vite_ssr_import__,__vite_ssr_dynamic_import__,__vite_ssr_exportAll__,__vite_ssr_import_meta__";
const prefix = `(async function(${parameters}){"use strict";\n`;

export function createRunner(options: RunnerOptions): Runner {
  const { root, resolver, virtual } = options;
  const cache = new Map<string, Promise<Transformed>>();
  const ready = new Map<string, Transformed>();
  let current: Generation = new Map();
  let pending = new Set<string>();

  async function load(entry: string, changed: Iterable<string>): Promise<Loaded> {
    for (const path of changed) pending.add(path);
    for (const path of pending) forget(path);
    resolver.clear();
    const generation = survivors();
    const before = generation.size;
    await prepareGraph(entry, generation);
    const module = await evaluated(entry, generation, undefined);
    return { exports: module.exports, evaluated: generation.size - before, commit: () => commit(entry, generation) };
  }

  function commit(entry: string, generation: Generation): void {
    pending = new Set();
    current = reachable(entry, generation);
    for (const module of current.values()) module.generation = current;
    for (const path of ready.keys()) if (!current.has(path)) forget(path);
  }

  function forget(path: string): void {
    cache.delete(path);
    ready.delete(path);
  }

  /** The modules of the running generation that no pending change reaches. */
  function survivors(): Generation {
    const importers = new Map<string, string[]>();
    for (const module of current.values()) {
      for (const path of module.imports) {
        const known = importers.get(path);
        if (known) known.push(module.path);
        else importers.set(path, [module.path]);
      }
    }
    const reached = closure(pending, (path) => importers.get(path) ?? []);
    return new Map([...current].filter(([path]) => !reached.has(path)));
  }

  /** Transforms everything that `entry` imports, side by side, so that a mistake shows before any code runs. */
  async function prepareGraph(entry: string, generation: Generation): Promise<void> {
    const seen = new Set<string>();
    async function visit(path: string): Promise<void> {
      if (seen.has(path) || generation.has(path)) return;
      seen.add(path);
      if (path.endsWith(".json")) return;
      const { imports } = await transformed(path);
      await Promise.all(imports.map((specifier) => follow(specifier, path)));
    }
    async function follow(specifier: string, importer: string): Promise<void> {
      const target = resolved(specifier, importer);
      if (target.kind === "module") await visit(target.path);
    }
    await visit(entry);
  }

  function transformed(path: string): Promise<Transformed> {
    let result = cache.get(path);
    if (result === undefined) {
      result = transformSource(path);
      cache.set(path, result);
    }
    return result;
  }

  async function transformSource(path: string): Promise<Transformed> {
    const generated = virtual.get(path);
    const result = await (generated === undefined
      ? transformModule(path, prepared(path, readFileSync(path, "utf8")))
      : transformGenerated(path, generated));
    ready.set(path, result);
    return result;
  }

  function prepared(path: string, source: string): string {
    return options.prepare === undefined ? source : options.prepare(path, source);
  }

  function resolved(specifier: string, importer: string): Resolution {
    if (virtual.has(specifier)) return { kind: "module", path: specifier };
    const target = resolver.resolve(specifier, importer);
    if (target !== undefined) return target;
    const { line, column } = positionOf(specifier, importer);
    throw new SourceError(`"${specifier}" cannot be found`, importer, line, column);
  }

  function positionOf(specifier: string, importer: string): { line: number; column: number } {
    const lines = (virtual.get(importer) ?? readFileSync(importer, "utf8")).split("\n");
    const quoted = [`"${specifier}"`, `'${specifier}'`];
    const line = lines.findIndex((text) => quoted.some((quote) => text.includes(quote)));
    const column = Math.max(...quoted.map((quote) => lines[line]?.indexOf(quote) ?? -1));
    return { line: Math.max(line, 0) + 1, column: Math.max(column, 0) + 1 };
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
    const exports: Exports = Object.create(null);
    Object.defineProperty(exports, Symbol.toStringTag, { value: "Module" });
    const module: Module = {
      path,
      exports,
      imports: new Set(),
      importMeta: importMeta(path),
      generation,
      waitsFor: undefined,
      evaluation: Promise.resolve(),
      done: false,
    };
    generation.set(path, module);
    module.evaluation = evaluate(module);
    // Whoever imports the module reports its failure.
    module.evaluation.catch(() => {});
    return module;
  }

  async function evaluate(module: Module): Promise<void> {
    if (module.path.endsWith(".json")) module.exports.default = parseJson(module.path);
    else await run(module);
    module.done = true;
  }

  async function run(module: Module): Promise<void> {
    const body = compiled(await transformed(module.path));
    await body(
      module.exports,
      (specifier, details) => imported(specifier, module, details?.importedNames),
      (specifier) => importedLater(String(specifier), module),
      (from) => exportAll(module.exports, from),
      module.importMeta,
    );
  }

  function compiled(source: Transformed): ModuleFunction {
    const map = options.debug ? inlineMap(source) : "";
    const script = new vm.Script(`${prefix}${source.code}\n})${map}`, { filename: source.path });
    return script.runInThisContext() as ModuleFunction;
  }

  async function imported(specifier: string, importer: Module, names: readonly string[] = []): Promise<Exports> {
    const target = resolved(specifier, importer.path);
    const exports = await exportsOf(target, importer.generation, importer);
    const missing = names.find((name) => !(name in exports));
    if (missing !== undefined && settled(target, importer.generation))
      throw missingExport(missing, specifier, importer);
    return exports;
  }

  /** A dynamic import runs outside of the evaluation's order, so nothing counts as waiting for it. */
  async function importedLater(specifier: string, importer: Module): Promise<Exports> {
    const target = resolved(specifier, importer.path);
    if (target.kind === "native") return (await import(target.url)) as Exports;
    const module = await evaluated(target.path, importer.generation, undefined);
    importer.imports.add(target.path);
    return module.exports;
  }

  async function exportsOf(target: Resolution, generation: Generation, importer: Module): Promise<Exports> {
    if (target.kind === "native") return (await import(target.url)) as Exports;
    return (await evaluated(target.path, generation, importer)).exports;
  }

  function settled(target: Resolution, generation: Generation): boolean {
    return target.kind === "native" || generation.get(target.path)?.done === true;
  }

  function missingExport(name: string, specifier: string, importer: Module): SourceError {
    const { line, column } = positionOf(specifier, importer.path);
    return new SourceError(`"${specifier}" has no export named ${name}`, importer.path, line, column);
  }

  function parseJson(path: string): unknown {
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      throw new SourceError(`${relative(root, path)} is not JSON: ${(error as Error).message}`, path, 1, 1);
    }
  }

  return { load, transformed: (path) => ready.get(path) };
}

type ModuleFunction = (
  exports: Exports,
  load: (specifier: string, details?: { readonly importedNames?: readonly string[] }) => Promise<Exports>,
  loadLater: (specifier: unknown) => Promise<Exports>,
  exportAll: (from: Exports) => void,
  meta: ImportMeta,
) => Promise<void>;

/** The modules that `entry` still leads to. */
function reachable(entry: string, generation: Generation): Generation {
  const kept = closure([entry], (path) => generation.get(path)?.imports ?? []);
  return new Map([...generation].filter(([path]) => kept.has(path)));
}

function waitsOn(module: Module, other: Module): boolean {
  for (let next: Module | undefined = module; next; next = next.waitsFor) if (next === other) return true;
  return false;
}

function closure(start: Iterable<string>, next: (path: string) => Iterable<string>): Set<string> {
  const reached = new Set<string>();
  const queue = [...start];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    queue.push(...next(path));
  }
  return reached;
}

function exportAll(exports: Exports, from: Exports): void {
  for (const name of Object.keys(from)) {
    if (name === "default" || name in exports) continue;
    Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => from[name] });
  }
}

function importMeta(path: string): ImportMeta {
  if (!isAbsolute(path)) return { url: path } as ImportMeta;
  const url = pathToFileURL(path).href;
  const require = createRequire(path);
  const resolve = (specifier: string): string =>
    /^\.{0,2}\//.test(specifier) ? new URL(specifier, url).href : pathToFileURL(require.resolve(specifier)).href;
  return { url, filename: path, dirname: dirname(path), resolve } as ImportMeta;
}

function inlineMap(source: Transformed): string {
  const map = source.map();
  const shifted = { ...map, mappings: `;${map.mappings}` };
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(shifted)).toString("base64")}`;
}
