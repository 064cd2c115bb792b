import { distinct } from "../lib/grouped.ts";
import type { App, SiteDeclaration } from "../model/app.ts";
import { endpointsOf } from "../model/declarations.ts";
import { inSourceOrder, type Diagnostic } from "../model/diagnostic.ts";
import type { FormRoutes } from "./template/form-helpers.ts";
import { describe, textContext } from "./template/context.ts";
import { readLanguages, type Languages } from "./template/languages.ts";
import { Library } from "./template/library.ts";
import { problemAt, type TemplateSource } from "./template/problem.ts";
import type { Unit } from "./template/unit.ts";

export type { TemplateSource } from "./template/problem.ts";

export interface CompiledTemplates {
  /** An ES module that exports `templates`: a CompiledTemplate (`runtime/bundle.ts`) by name. */
  readonly code: string;
  /** Diagnostics of messages files, then of templates in source order. The code is valid only without diagnostics. */
  readonly diagnostics: readonly Diagnostic[];
  /** True if a template renders Markdown or HTML from data, which needs the sanitizer. */
  readonly markdown: boolean;
  /** True if a template depends on the user's language. */
  readonly languages: boolean;
  /** True if a template shows flash messages. */
  readonly flash: boolean;
}

/** The part of an application that templates refer to. */
export type TemplateApp = Pick<App, "packages">;

function formRoutes({ packages }: TemplateApp): FormRoutes {
  return new Map(
    packages
      .flatMap(endpointsOf)
      .map(({ route, request, settings }) => [
        route.pattern,
        { fields: request.bound, refusedAt: request.refusedAt, showsProblems: settings.invalid === true },
      ]),
  );
}

export function templatesSpecifier(site: SiteDeclaration): string {
  return `fw:templates/${site.dir}`;
}

/**
 * Creates an incremental compiler for the templates of one site. It recompiles only changed templates and templates
 * that use them.
 */
export function createTemplateCompiler(): (
  files: readonly TemplateSource[],
  app?: TemplateApp,
  language?: string,
) => CompiledTemplates {
  const library = new Library();
  return (files, app = { packages: [] }, language?) => {
    const languages = readLanguages(files, language);
    library.load(
      files.filter(({ name }) => isTemplate(name)),
      formRoutes(app),
      languages,
    );
    return compileLoaded(library, languages);
  };
}

/** True for a template in `templates/`, but not for other files, such as a README. */
export function isTemplate(name: string): boolean {
  return /\.(?:html|hbs)$/.test(name);
}

function compileLoaded(library: Library, languages: Languages): CompiledTemplates {
  const standalone = library.names().flatMap((name) => library.unit(name, textContext) ?? []);
  const complete = standalone.filter(isWhole);
  const units = library.callableUnits(complete);
  const markdown = units.some((unit) => /\bp\.(?:markdown|html)\(/.test(unit.code));
  return {
    code: moduleText(units, complete, languages),
    diagnostics: [...languages.diagnostics, ...pageDiagnostics(library, library.pages(standalone))],
    markdown,
    languages: units.some((unit) => unit.code.includes("p.language(")),
    flash: units.some((unit) => unit.code.includes("p.flash()")),
  };
}

/** True for a template that can be rendered on its own, unlike a fragment such as half a tag. */
function isWhole(unit: Unit): boolean {
  return unit.diagnostics.length === 0 && unit.end.state === "text";
}

function moduleText(units: readonly Unit[], complete: readonly Unit[], languages: Languages): string {
  const functions = units.map((unit) => unit.code);
  const entries = complete.map((unit) => `  ${JSON.stringify(unit.file)}: (d, p) => ${unit.function}(d, d, p),`);
  // A single URL builder suffices, because rendering is synchronous.
  const url = functions.some((code) => /\bu\.\w+\(/.test(code)) ? ["const u = new h.UnfinishedURL();"] : [];
  const head = [`import { template as h } from "fw/runtime";`, "", ...url, ...languageLines(units, languages)];
  return [...head, ...functions, "", "export const templates = {", ...entries, "};", ""].join("\n");
}

/** Generates the site's languages, and the messages that its templates show. */
function languageLines(units: readonly Unit[], { names, messages }: Languages): readonly string[] {
  const keys = [...new Set(units.flatMap((unit) => unit.messages))].toSorted();
  const shown = Object.fromEntries(keys.map((key) => [key, messages.get(key)]));
  return [
    ...(units.some(({ code }) => code.includes("p.language(L)")) ? [`const L = ${JSON.stringify(names)};`] : []),
    ...(keys.length > 0 ? [`const M = ${JSON.stringify(shown)};`] : []),
  ];
}

function pageDiagnostics(library: Library, units: readonly Unit[]): Diagnostic[] {
  const diagnostics = library.syntaxProblems();
  for (const unit of library.callableUnits(units)) diagnostics.push(...unit.diagnostics);
  for (const unit of units) if (unit.diagnostics.length === 0) diagnostics.push(...endProblems(library, unit));
  const layout = library.file("layout.html");
  if (layout !== undefined && !/\{\{\{?~?\s*content\s*~?\}/.test(layout.source)) diagnostics.push(noContent(layout));
  return inOrder(diagnostics);
}

function endProblems(library: Library, unit: Unit): Diagnostic[] {
  const file = library.file(unit.file);
  if (unit.end.state === "text" || file === undefined) return [];
  const lines = file.source.split(/\r\n?|\n/);
  const at = { line: lines.length, column: lines.at(-1)?.length ?? 0 };
  const hint = unit.end.state.startsWith("lt") ? "write &lt; for a literal <" : "close it";
  return [problemAt(file, at, `the template ends ${describe(unit.end)}`, hint)];
}

function noContent(layout: TemplateSource): Diagnostic {
  const message = "the layout has no {{content}}, so every page would be empty";
  return problemAt(layout, { line: 1, column: 0 }, message, "write {{content}} where pages go");
}

function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const unique = distinct(diagnostics, (diagnostic) => JSON.stringify(diagnostic));
  return unique.toSorted((a, b) => inSourceOrder(a.at, b.at));
}
