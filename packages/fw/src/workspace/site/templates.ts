import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { relativePath } from "../../lib/relative-path.ts";
import {
  createTemplateCompiler,
  type CompiledTemplates,
  type TemplateApp,
  type TemplateSource,
} from "../../generate/templates.ts";
import { isLanguage, isMessageFile } from "../../generate/template/languages.ts";
import { filesBelow } from "../../lib/read-file.ts";
import type { Unsaved } from "../../lib/unsaved.ts";
import { nearest } from "../../lib/suggest.ts";
import type { SiteDeclaration } from "../../model/app.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";

interface CompiledSite {
  readonly compiler: ReturnType<typeof createTemplateCompiler>;
  readonly sources: readonly TemplateSource[];
  readonly compiled: CompiledTemplates;
}

/** Compiles the templates of sites. After a change, compiles only the affected ones. */
export class SiteTemplates {
  readonly #root: string;
  readonly #unsaved: Unsaved;
  readonly #sites: Map<string, CompiledSite> = new Map();

  constructor(root: string, unsaved: Unsaved) {
    this.#root = root;
    this.#unsaved = unsaved;
  }

  /** Returns the last compiled templates, for use while a build command writes new ones; compiles if there are none. */
  last(site: SiteDeclaration, app: TemplateApp): CompiledTemplates {
    return this.#sites.get(site.dir)?.compiled ?? this.compile(site, app);
  }

  /** Returns the most recently compiled files. */
  sources(site: SiteDeclaration): readonly TemplateSource[] {
    return this.#sites.get(site.dir)?.sources ?? [];
  }

  compile(site: SiteDeclaration, app: TemplateApp): CompiledTemplates {
    const { compiler = createTemplateCompiler() } = this.#sites.get(site.dir) ?? {};
    const before = new Map(this.sources(site).map((file) => [file.path, file]));
    const dir = join(this.#root, site.dir, "templates");
    const sources = this.#filesBelow(dir).map((file): TemplateSource => {
      const path = relativePath(this.#root, file);
      const source = this.#unsaved.get(file) ?? readFileSync(file, "utf8");
      const previous = before.get(path);
      // The compiler caches parsed templates by file object.
      return previous?.source === source ? previous : { name: relativePath(dir, file), source, path };
    });
    const { diagnostics, ...rest } = compiler(sources, app, site.language);
    const names = sources.map(({ name }) => name);
    const compiled = {
      ...rest,
      diagnostics: [...missingNotFound(site, names), ...missingLanguage(site, names), ...diagnostics],
    };
    this.#sites.set(site.dir, { compiler, sources, compiled });
    return compiled;
  }

  /** Returns the files below a directory, including unsaved ones in an editor. */
  #filesBelow(dir: string): readonly string[] {
    const unsaved = [...this.#unsaved.keys()].filter((path) => path.startsWith(dir + sep));
    return [...new Set([...filesBelow(dir), ...unsaved])].toSorted();
  }
}

/** Reports a default language that is invalid or has no messages. */
function missingLanguage({ declaration, dir, language }: SiteDeclaration, names: readonly string[]): Diagnostic[] {
  const files = names.filter(isMessageFile);
  if (language === undefined || files.includes(`messages/${language}.json`)) return [];
  if (!isLanguage(language))
    return [
      {
        code: "template",
        at: declaration.at,
        message: `${JSON.stringify(language)} is not a language`,
        hint: "write the language of the site as HTML does: de, pt-BR",
      },
    ];
  if (files.length === 0) return [];
  return [
    {
      code: "template",
      at: declaration.at,
      message: `language is ${JSON.stringify(language)}, but ${dir}/templates/ has no messages/${language}.json`,
      hint: "add that file, or choose one of the others",
    },
  ];
}

/** Reports a missing 404 page, which would otherwise be noticed only when a user mistypes a URL. */
function missingNotFound(
  { declaration, dir, build, notFound }: SiteDeclaration,
  names: readonly string[],
): Diagnostic[] {
  const isThere = notFound === undefined || names.includes(notFound) || names.includes(`${notFound}.html`);
  // A build command creates the site's files in its first run.
  if (isThere || (build !== undefined && names.length === 0)) return [];
  const suggestion = nearest(notFound, names);
  return [
    {
      code: "template",
      at: declaration.at,
      message: `notFound is ${JSON.stringify(notFound)}, but ${dir}/templates/ has no such template`,
      hint:
        suggestion === undefined
          ? "create that template, or remove notFound"
          : `did you mean ${JSON.stringify(suggestion)}?`,
    },
  ];
}
