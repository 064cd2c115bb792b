import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { createTemplateCompiler, type CompiledTemplates } from "../generate/templates.ts";
import type { SiteDeclaration } from "../model/app.ts";

/** Compiles the templates of an application's sites, and after a change only what it concerns. */
export class SiteTemplates {
  readonly #root: string;
  readonly #compilers: Map<string, ReturnType<typeof createTemplateCompiler>> = new Map();

  constructor(root: string) {
    this.#root = root;
  }

  compile(site: SiteDeclaration): CompiledTemplates {
    let compiler = this.#compilers.get(site.dir);
    if (compiler === undefined) this.#compilers.set(site.dir, (compiler = createTemplateCompiler()));
    const dir = join(this.#root, site.dir, "templates");
    return compiler(
      filesBelow(dir).map((path) => ({
        name: relative(dir, path).split(sep).join("/"),
        source: readFileSync(path, "utf8"),
        path: relative(this.#root, path).split(sep).join("/"),
      })),
    );
  }
}

export function templatesSpecifier(site: SiteDeclaration): string {
  return `fw:templates/${site.dir}`;
}

function filesBelow(dir: string): string[] {
  try {
    const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
  } catch {
    return [];
  }
}
