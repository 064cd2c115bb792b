import type { OutputChunk } from "rolldown";
import { closure } from "../lib/closure.ts";
import { mappedBytes } from "./mapped-bytes.ts";

export interface BundledModule {
  /** The name in source maps. */
  readonly path: string;
  readonly bytes: number;
}

/** Drops chunks that only eliminated code would load: the bundler follows `import()` before it eliminates dead code. */
export function withoutUnused(chunks: readonly OutputChunk[]): readonly OutputChunk[] {
  const loaded = reachable(
    chunks,
    (chunk) => chunk.isEntry,
    ({ dynamicImports, code }) => dynamicImports.filter((name) => code.includes(JSON.stringify(`./${name}`))),
  );
  return chunks.filter(({ fileName }) => loaded.has(fileName));
}

/** Returns the names of the chunks that a service loads before it serves. */
export function loadedAtStart(chunks: readonly OutputChunk[], startModules: readonly string[]): ReadonlySet<string> {
  const isStart = ({ isEntry, fileName, facadeModuleId }: OutputChunk): boolean =>
    (isEntry && fileName === "main.js") || (facadeModuleId !== null && startModules.includes(facadeModuleId));
  return reachable(chunks, isStart, () => []);
}

export function modulesIn(text: string, map: string | undefined): readonly BundledModule[] {
  if (map === undefined) return [];
  const mapped = JSON.parse(map) as Parameters<typeof mappedBytes>[1];
  return Array.from(mappedBytes(text, mapped), ([path, bytes]) => ({ path, bytes })).filter(({ bytes }) => bytes > 0);
}

function reachable(
  chunks: readonly OutputChunk[],
  isFirst: (chunk: OutputChunk) => boolean,
  lazyImports: (chunk: OutputChunk) => readonly string[],
): ReadonlySet<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const first = chunks.filter(isFirst).map(({ fileName }) => fileName);
  return closure(first, (name) => {
    const chunk = byName.get(name);
    return chunk === undefined ? [] : [...chunk.imports, ...lazyImports(chunk)];
  });
}
