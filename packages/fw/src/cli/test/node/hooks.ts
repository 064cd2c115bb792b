import { readFileSync } from "node:fs";
import type { LoadHook, ResolveHook } from "node:module";
import { extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { transformSync } from "rolldown/utils";
import { createModuleResolver, isEvaluated, type ModuleResolver } from "../../../workspace/module-resolver.ts";
import { exposeDeclarations } from "../../../generate/expose.ts";
import { oldestNode } from "../../../lib/oldest-node.ts";
import { withLoadOrder } from "../load-order.ts";
import type { Wiring } from "../wiring.ts";

// This module runs in Node's thread for module hooks, alongside a test.

interface Loading extends Pick<Wiring, "files" | "exposed" | "loadOrder"> {
  readonly root: string;
}

/** The prefix of URLs for generated modules, which end with the escaped specifier. */
const virtual = "fw-test:";

let loading: Loading;
let resolver: ModuleResolver;

export function initialize({ wiring }: { readonly wiring: string }): void {
  loading = JSON.parse(readFileSync(wiring, "utf8")) as Loading;
  resolver = createModuleResolver(loading.root);
}

export const resolve: ResolveHook = (specifier, context, next) => {
  const url = urlOf(specifier, context.parentURL);
  return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
};

export const load: LoadHook = (url, context, next) => {
  const source = sourceOf(url);
  return source === undefined ? next(url, context) : { format: "module", source, shortCircuit: true };
};

function urlOf(specifier: string, parent: string | undefined): string | undefined {
  if (Object.hasOwn(loading.files, specifier)) return virtual + encodeURIComponent(specifier);
  const importer = parent === undefined ? undefined : importerOf(parent);
  if (importer === undefined || /^(?:file|node):/.test(specifier)) return undefined;
  const found = resolver.resolve(specifier, importer);
  if (found === undefined) return undefined;
  return found.kind === "module" ? pathToFileURL(found.path).href : found.url;
}

/**
 * Returns the importing module if it is generated or belongs to the application; undefined for a package, which Node
 * resolves.
 */
function importerOf(url: string): string | undefined {
  if (url.startsWith(virtual)) return "generated";
  return url.startsWith("file:") && isOurs(fileURLToPath(url)) ? fileURLToPath(url) : undefined;
}

function sourceOf(url: string): string | undefined {
  if (url.startsWith(virtual)) return loading.files[decodeURIComponent(url.slice(virtual.length))];
  const path = url.startsWith("file:") ? fileURLToPath(url) : undefined;
  if (path === undefined || !isOurs(path)) return undefined;
  return extname(path) === ".json" ? `export default ${readFileSync(path, "utf8")};` : transformed(path);
}

function isOurs(path: string): boolean {
  return isEvaluated(loading.root, path);
}

/**
 * Compiles a module for the oldest supported version of Node, with its declarations exported and an inline source map.
 */
function transformed(path: string): string {
  const source = withLoadOrder(path, readFileSync(path, "utf8"), loading.loadOrder, resolver);
  const text = exposeDeclarations(source, loading.exposed[path] ?? []);
  const { code, map, errors } = transformSync(path, text, { sourcemap: true, tsconfig: false, target: oldestNode });
  const [error] = errors;
  if (error) throw new SyntaxError(`${path}: ${stripVTControlCharacters(error.message).replace(/^\[\w+\] /, "")}`);
  const inline = map ? Buffer.from(JSON.stringify(map)).toString("base64") : "";
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`;
}
