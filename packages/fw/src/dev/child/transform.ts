import { edited, type Edit } from "../../lib/edits.ts";
import { moduleRunnerTransform } from "rolldown/experimental";
import { parseSync, transformSync } from "rolldown/utils";
import type { SourceMapPayload } from "node:module";
import { stripVTControlCharacters } from "node:util";
import { oldestNode } from "../../lib/oldest-node.ts";
import { SourceError } from "./source-error.ts";
import { composeMaps, originalMap, type Map3 } from "./source-map.ts";

/** A module's source in the form that the runner evaluates. */
export interface Transformed {
  readonly path: string;
  /** The body of an async function with the parameters in `sources.ts`. */
  readonly code: string;
  /** The specifiers of the module's static imports. */
  readonly imports: readonly string[];
  /** False only if the code cannot read `import.meta`. */
  readonly usesImportMeta: boolean;
  /** Maps the code to the source; built on first use. */
  map(): SourceMapPayload;
}

/** The name of `import.meta` in transformed code. */
export const importMetaParameter = "__vite_ssr_import_meta__";

/** Removes types, and converts imports and exports to calls of the runner. */
export async function transformModule(path: string, source: string): Promise<Transformed> {
  const stripped = transformSync(path, source, { sourcemap: true, tsconfig: false, target: oldestNode });
  const error = stripped.errors[0];
  if (error) throw syntaxError(path, error);
  const first = stripped.map;
  return prepare(path, path, stripped.code, (second) =>
    first ? composeMaps(first, second, path, source) : emptyMap(path),
  );
}

/** Converts imports and exports of generated JavaScript in the same way. Stack traces show the generated lines. */
export function transformGenerated(specifier: string, source: string): Promise<Transformed> {
  // The transformer derives the language from the file name, and a specifier may end with a slash.
  return prepare(specifier, "generated.js", source, (map) => originalMap(map, specifier, source));
}

async function prepare(
  path: string,
  filename: string,
  source: string,
  toSourceMap: (map: Map3) => SourceMapPayload,
): Promise<Transformed> {
  const module = await moduleRunnerTransform(filename, splitCombinedImports(source), { sourcemap: true });
  const failure = module.errors[0];
  if (failure) throw new SourceError(stripVTControlCharacters(failure.message), path, 1, 1);
  const { code, deps } = module;
  let map: SourceMapPayload | undefined;
  return {
    path,
    code: code.startsWith("#!") ? `//${code}` : code,
    imports: deps,
    usesImportMeta: code.includes(importMetaParameter),
    map: () => (map ??= module.map ? toSourceMap(module.map) : emptyMap(path)),
  };
}

/** Starts the transformer's threads, so that the first transformation is fast. */
export async function warmTransformer(): Promise<void> {
  await Promise.all([1, 2, 3, 4].map((n) => transformModule(`warm-${n}.ts`, "export const a: number = 1;")));
}

function syntaxError(path: string, error: { message: string }): SourceError {
  const { loc } = error as { loc?: { line: number; column: number } };
  // In a terminal, Rolldown colors its messages.
  const [sentence = ""] = stripVTControlCharacters(error.message).split("\n");
  return new SourceError(sentence.replace(/^\[\w+\] /, ""), path, loc?.line ?? 1, (loc?.column ?? 0) + 1);
}

function emptyMap(path: string): SourceMapPayload {
  return { file: "", version: 3, sources: [path], sourcesContent: [], names: [], mappings: "", sourceRoot: "" };
}

/**
 * Splits `import a, * as b from "c"` into two imports, because rolldown's transform for module runners loses the first
 * name.
 */
function splitCombinedImports(code: string): string {
  if (!/,\s*\*\s*as\b/.test(code)) return code;
  const { staticImports } = parseSync("a.js", code, { sourceType: "module" }).module;
  const edits = staticImports.flatMap(({ end, moduleRequest, entries: [first, second] }): readonly Edit[] => {
    if (first?.importName.kind !== "Default" || second?.importName.kind !== "NamespaceObject") return [];
    const from = code.slice(moduleRequest.start, end).replace(/;$/, "");
    const text = `${first.localName.value} from ${from}; import * as ${second.localName.value} from `;
    return [{ start: first.localName.start, end: moduleRequest.start, text }];
  });
  return edited(code, edits);
}
