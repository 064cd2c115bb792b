import { readFileSync } from "node:fs";
import vm from "node:vm";
import type { ModuleResolver, Resolution } from "../../workspace/module-resolver.ts";
import { SourceError } from "./source-error.ts";
import { importMetaParameter, transformGenerated, transformModule, type Transformed } from "./transform.ts";

/** A version of a module's text, which can be evaluated any number of times. */
export interface Source extends Transformed {
  readonly text: string;
  /** Returns the function that evaluates the module; compiles it on first use. */
  body(): ModuleFunction;
}

export type Exports = Record<string, unknown>;

type ModuleFunction = (
  exports: Exports,
  load: (specifier: string, details?: { readonly importedNames?: readonly string[] }) => Exports | Promise<Exports>,
  loadLater: (specifier: unknown) => Promise<Exports>,
  exportAll: (from: Exports) => void,
  meta: ImportMeta | undefined,
) => Promise<void>;

export interface SourcesOptions {
  readonly resolver: ModuleResolver;
  /** Texts of modules that are not on disk, by import specifier. */
  readonly virtual: ReadonlyMap<string, string>;
  /** Texts of the application's analyzed modules, by path; they take precedence over files on disk. */
  readonly analysed?: ReadonlyMap<string, string>;
  /** Preprocesses the application's source before it is transformed. */
  readonly prepare?: (path: string, source: string) => string;
  /** Appends its source map to each module, for a debugger. */
  readonly debug?: boolean;
}

const parameters = `__vite_ssr_exports__,__vite_ssr_import__,__vite_ssr_dynamic_import__,__vite_ssr_exportAll__,${importMetaParameter}`;
const prefix = `(async function(${parameters}){"use strict";\n`;

/** Reads, transforms and resolves modules, each once per change. */
export class Sources {
  readonly #options: SourcesOptions;
  readonly #known: Map<string, Promise<Source>> = new Map();
  /** Paths whose text may have changed. */
  readonly #stale: Set<string> = new Set();
  readonly #targets: Map<string, Map<string, Resolution>> = new Map();

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /** Returns the module's current source: the identical object until its text changes. */
  get(path: string): Promise<Source> {
    const stale = this.#stale.delete(path);
    const cached = this.#known.get(path);
    if (cached !== undefined && !stale) return cached;
    return this.#remember(path, cached === undefined ? this.#read(path) : this.#readAgain(path, cached));
  }

  /** Transforms the current text in advance; a later `get` uses the result if the text is still the same. */
  ahead(path: string): Promise<Source> {
    const { virtual } = this.#options;
    const source = this.#transform(path, () => virtual.get(path) ?? this.#prepared(path, readFileSync(path, "utf8")));
    this.touch(path);
    return this.#remember(path, source);
  }

  /** Makes the next `get` check again whether the text at `path` has changed. */
  touch(path: string): void {
    this.#stale.add(path);
  }

  /** Discards resolved imports after files were added or removed. */
  forgetTargets(): void {
    this.#targets.clear();
    this.#options.resolver.clear();
  }

  /** Discards all modules except those in `paths`. */
  keep(paths: { has(path: string): boolean }): void {
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
    for (const path of this.#targets.keys()) if (!paths.has(path)) this.#targets.delete(path);
    for (const path of this.#stale) if (!paths.has(path)) this.#stale.delete(path);
  }

  resolve(specifier: string, importer: string): Resolution {
    if (this.#options.virtual.has(specifier)) return { kind: "module", path: specifier };
    let targets = this.#targets.get(importer);
    if (targets === undefined) this.#targets.set(importer, (targets = new Map()));
    let target = targets.get(specifier);
    if (target === undefined) targets.set(specifier, (target = this.#lookUp(specifier, importer)));
    return target;
  }

  refuse(message: string, specifier: string, importer: string): SourceError {
    const lines = this.#text(importer).split("\n");
    const quoted = [`"${specifier}"`, `'${specifier}'`];
    const line = lines.findIndex((text) => quoted.some((quote) => text.includes(quote)));
    const column = Math.max(...quoted.map((quote) => lines[line]?.indexOf(quote) ?? -1));
    return new SourceError(message, importer, Math.max(line, 0) + 1, Math.max(column, 0) + 1);
  }

  async #readAgain(path: string, before: Promise<Source>): Promise<Source> {
    const previous = await before.catch(() => undefined);
    return previous !== undefined && previous.text === this.#text(path) ? previous : this.#read(path);
  }

  #remember(path: string, source: Promise<Source>): Promise<Source> {
    this.#known.set(path, source);
    source.catch(() => {});
    return source;
  }

  #read(path: string): Promise<Source> {
    return this.#transform(path, () => this.#text(path));
  }

  async #transform(path: string, read: () => string): Promise<Source> {
    const text = read();
    const transformed = await (this.#options.virtual.has(path)
      ? transformGenerated(path, text)
      : transformModule(path, text));
    let body: ModuleFunction | undefined;
    return { ...transformed, text, body: () => (body ??= this.#compile(transformed)) };
  }

  #text(path: string): string {
    const generated = this.#options.virtual.get(path);
    if (generated !== undefined) return generated;
    return this.#prepared(path, this.#options.analysed?.get(path) ?? readFileSync(path, "utf8"));
  }

  #prepared(path: string, source: string): string {
    return this.#options.prepare === undefined ? source : this.#options.prepare(path, source);
  }

  #compile(source: Transformed): ModuleFunction {
    const map = this.#options.debug ? inlineMap(source) : "";
    const script = new vm.Script(`${prefix}${source.code}\n})${map}`, { filename: source.path });
    return script.runInThisContext() as ModuleFunction;
  }

  #lookUp(specifier: string, importer: string): Resolution {
    const target = this.#options.resolver.resolve(specifier, importer);
    if (target === undefined) throw this.refuse(`cannot find "${specifier}"`, specifier, importer);
    return target;
  }
}

function inlineMap(source: Transformed): string {
  const map = source.map();
  const shifted = { ...map, mappings: `;${map.mappings}` };
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(shifted)).toString("base64")}`;
}
