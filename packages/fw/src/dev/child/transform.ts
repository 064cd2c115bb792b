import { moduleRunnerTransform } from "rolldown/experimental";
import { transformSync } from "rolldown/utils";
import type { SourceMapPayload } from "node:module";
import { oldestNode } from "../../lib/oldest-node.ts";
import { withPartedImports } from "./parted-imports.ts";
import { SourceError } from "./source-error.ts";
import { composeMaps, originalMap, type Map3 } from "./source-map.ts";

/** A module's source as the runner evaluates it. */
export interface Transformed {
  readonly path: string;
  /** The body of an async function over the names in `runner.ts`. */
  readonly code: string;
  /** Specifiers of its static imports. */
  readonly imports: readonly string[];
  /** Maps the code onto the source; made when first asked for. */
  map(): SourceMapPayload;
}

/** Strips types and turns imports and exports into calls the runner answers. */
export async function transformModule(path: string, source: string): Promise<Transformed> {
  const stripped = transformSync(path, source, { sourcemap: true, tsconfig: false, target: oldestNode });
  const error = stripped.errors[0];
  if (error) throw syntaxError(path, error);
  const first = stripped.map;
  return prepare(path, path, stripped.code, (second) =>
    first ? composeMaps(first, second, path, source) : emptyMap(path),
  );
}

/** The same for generated JavaScript, whose own lines are what a stack trace shall show. */
export function transformGenerated(specifier: string, source: string): Promise<Transformed> {
  // The name only tells the transformer the language; a specifier may end in a slash.
  return prepare(specifier, "generated.js", source, (map) => originalMap(map, specifier, source));
}

async function prepare(
  path: string,
  filename: string,
  source: string,
  mapped: (map: Map3) => SourceMapPayload,
): Promise<Transformed> {
  const module = await moduleRunnerTransform(filename, withPartedImports(source), { sourcemap: true });
  const failure = module.errors[0];
  if (failure) throw new SourceError(failure.message, path, 1, 1);
  const { code, deps } = module;
  let map: SourceMapPayload | undefined;
  return {
    path,
    code: code.startsWith("#!") ? `//${code}` : code,
    imports: deps,
    map: () => (map ??= module.map ? mapped(module.map) : emptyMap(path)),
  };
}

/** Makes the first call quick: the transformer's threads start lazily. */
export async function warmTransformer(): Promise<void> {
  await Promise.all([1, 2, 3, 4].map((n) => transformModule(`warm-${n}.ts`, "export const a: number = 1;")));
}

function syntaxError(path: string, error: { message: string }): SourceError {
  const { loc } = error as { loc?: { line: number; column: number } };
  const [sentence = error.message] = error.message.split("\n");
  return new SourceError(sentence.replace(/^\[\w+\] /, ""), path, loc?.line ?? 1, (loc?.column ?? 0) + 1);
}

function emptyMap(path: string): SourceMapPayload {
  return { file: "", version: 3, sources: [path], sourcesContent: [], names: [], mappings: "", sourceRoot: "" };
}
