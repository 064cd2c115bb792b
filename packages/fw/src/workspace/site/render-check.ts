import type { Analyzer } from "../../analysis/index.ts";
import { TemplateData } from "../../generate/template-data.ts";
import type { TemplateSource } from "../../generate/templates.ts";
import type { SiteDeclaration } from "../../model/app.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";

/** Compares the data that templates read with the data that handlers pass to them. Caches parsed templates. */
export class RenderCheck {
  readonly #sourcesOf: (site: SiteDeclaration) => readonly TemplateSource[];
  readonly #data: Map<string, TemplateData> = new Map();

  /** `sourcesOf` returns the files of a site's `templates/`. */
  constructor(sourcesOf: (site: SiteDeclaration) => readonly TemplateSource[]) {
    this.#sourcesOf = sourcesOf;
  }

  async check(
    analyzer: Analyzer,
    sites: readonly SiteDeclaration[],
    signal?: AbortSignal,
  ): Promise<readonly Diagnostic[]> {
    const loadedSites = new Map(
      sites.filter((site) => this.#load(site)).map((site) => [declarationKey(site.declaration), site]),
    );
    if (loadedSites.size === 0) return [];
    const renders = await analyzer.renders(
      (site, templates, whole) => this.#dataOf(site).accessPaths(templates, whole),
      signal,
    );
    return renders.flatMap((rendered) => {
      const site = loadedSites.get(rendered.site);
      return site ? this.#dataOf(rendered.site).check(site, rendered) : [];
    });
  }

  /** Loads the templates of a site; false if there are none because the site's build command has not run yet. */
  #load(site: SiteDeclaration): boolean {
    const sources = this.#sourcesOf(site);
    this.#dataOf(declarationKey(site.declaration)).load(sources);
    return site.build === undefined || sources.length > 0;
  }

  #dataOf(site: string): TemplateData {
    const data = this.#data.get(site) ?? new TemplateData();
    this.#data.set(site, data);
    return data;
  }
}
