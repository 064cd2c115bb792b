import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import {
  createTemplateCompiler,
  type CompiledTemplates,
  type TemplateApp,
  type TemplateSource,
} from "../../generate/templates.ts";
import { filesBelow } from "../../lib/read-file.ts";
import type { Unsaved } from "../../lib/unsaved.ts";
import { nearest } from "../../lib/suggest.ts";
import type { SiteDeclaration } from "../../model/app.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";

/** A site's templates as they were last. */
interface KnownSite {
  readonly compiler: ReturnType<typeof createTemplateCompiler>;
  readonly sources: readonly TemplateSource[];
  readonly compiled: CompiledTemplates;
}

/** Compiles the templates of an application's sites, and after a change only what it concerns. */
export class SiteTemplates {
  readonly #root: string;
  readonly #unsaved: Unsaved;
  readonly #sites: Map<string, KnownSite> = new Map();

  constructor(root: string, unsaved: Unsaved) {
    this.#root = root;
    this.#unsaved = unsaved;
  }

  /** The templates as they were last: for while something is writing them. */
  last(site: SiteDeclaration, app: TemplateApp): CompiledTemplates {
    return this.#sites.get(site.dir)?.compiled ?? this.compile(site, app);
  }

  /** The files that were compiled last. */
  sources(site: SiteDeclaration): readonly TemplateSource[] {
    return this.#sites.get(site.dir)?.sources ?? [];
  }

  compile(site: SiteDeclaration, app: TemplateApp): CompiledTemplates {
    const { compiler = createTemplateCompiler() } = this.#sites.get(site.dir) ?? {};
    const before = new Map(this.sources(site).map((file) => [file.path, file]));
    const dir = join(this.#root, site.dir, "templates");
    const sources = this.#filesBelow(dir).map((file): TemplateSource => {
      const path = relative(this.#root, file).split(sep).join("/");
      const source = this.#unsaved.get(file) ?? readFileSync(file, "utf8");
      const known = before.get(path);
      // What is parsed is kept by the file.
      return known?.source === source ? known : { name: relative(dir, file).split(sep).join("/"), source, path };
    });
    const { diagnostics, ...rest } = compiler(sources, app);
    const names = sources.map(({ name }) => name);
    const compiled = { ...rest, diagnostics: [...missingNotFound(site, names), ...diagnostics] };
    this.#sites.set(site.dir, { compiler, sources, compiled });
    return compiled;
  }

  /** Those of a directory that an editor has not written yet, too. */
  #filesBelow(dir: string): readonly string[] {
    const unsaved = [...this.#unsaved.keys()].filter((path) => path.startsWith(dir + sep));
    return [...new Set([...filesBelow(dir), ...unsaved])].toSorted();
  }
}

/** A designed 404 that cannot be rendered would only show when somebody mistypes a URL. */
function missingNotFound(
  { declaration, dir, build, notFound }: SiteDeclaration,
  names: readonly string[],
): Diagnostic[] {
  const isThere = notFound === undefined || names.includes(notFound) || names.includes(`${notFound}.html`);
  // Before its first run a generator has made nothing yet.
  if (isThere || (build !== undefined && names.length === 0)) return [];
  const meant = nearest(notFound, names);
  return [
    {
      code: "template",
      at: declaration.at,
      message: `notFound is ${JSON.stringify(notFound)}, and there is no such template in ${dir}/templates/`,
      hint:
        meant === undefined ? "write that template, or leave notFound out" : `did you mean ${JSON.stringify(meant)}?`,
    },
  ];
}
