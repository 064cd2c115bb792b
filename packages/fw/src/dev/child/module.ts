import { createRequire } from "node:module";
import { dirname, isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { closure } from "../../lib/closure.ts";
import { grouped } from "../../lib/grouped.ts";
import type { Exports, Source } from "./sources.ts";

/** A module that is evaluated or being evaluated. */
export interface Module {
  readonly path: string;
  readonly exports: Exports;
  /** The paths of the module's static and dynamic imports. */
  readonly imports: Set<string>;
  /** Undefined for JSON. */
  source: Source | undefined;
  /** The newest generation that contains the module. Its dynamic imports resolve there. */
  generation: Generation;
  /** The module whose evaluation this one is waiting for. */
  waitsFor: Module | undefined;
  evaluation: Promise<void>;
  done: boolean;
}

/** The modules of one version of an application, by path. */
export type Generation = Map<string, Module>;

export function newModule(path: string, generation: Generation): Module {
  const exports: Exports = Object.create(null);
  Object.defineProperty(exports, Symbol.toStringTag, { value: "Module" });
  return {
    path,
    exports,
    imports: new Set(),
    source: undefined,
    generation,
    waitsFor: undefined,
    evaluation: Promise.resolve(),
    done: false,
  };
}

/** Returns `entry` and the modules that it imports, directly or indirectly. */
export function reachable(entry: string, generation: Generation): Generation {
  const reached = closure([entry], (path) => generation.get(path)?.imports ?? []);
  return new Map([...generation].filter(([path]) => reached.has(path)));
}

/** Returns the modules that are not in `changed` and import none of them, directly or indirectly. */
export function untouched(changed: Iterable<string>, generation: Generation): Generation {
  const imports = [...generation.values()].flatMap((module) => [...module.imports].map((path) => ({ path, module })));
  const importers = grouped(imports, ({ path }) => path);
  const affected = closure(changed, (path) => (importers.get(path) ?? []).map(({ module }) => module.path));
  return new Map([...generation].filter(([path]) => !affected.has(path)));
}

export function waitsOn(module: Module, other: Module): boolean {
  for (let next: Module | undefined = module; next; next = next.waitsFor) if (next === other) return true;
  return false;
}

export function exportAll(exports: Exports, from: Exports): void {
  for (const name of Object.keys(from)) {
    if (name === "default" || name in exports) continue;
    Object.defineProperty(exports, name, { enumerable: true, configurable: true, get: () => from[name] });
  }
}

export function importMeta(path: string): ImportMeta {
  if (!isAbsolute(path)) return { url: path } as ImportMeta;
  const url = pathToFileURL(path).href;
  let require: NodeJS.Require | undefined;
  const resolve = (specifier: string): string =>
    /^\.{0,2}\//.test(specifier)
      ? new URL(specifier, url).href
      : pathToFileURL((require ??= createRequire(path)).resolve(specifier)).href;
  return { url, filename: path, dirname: dirname(path), resolve } as ImportMeta;
}
