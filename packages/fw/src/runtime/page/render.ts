import { Fault } from "../../declare/errors.ts";
import { HTML } from "../../declare/html.ts";
import { escapeHTML } from "../../lib/html.ts";
import { nearest } from "../../lib/suggest.ts";
import type { BundledSite, CompiledTemplate, SentField, TemplatePage } from "../bundle.ts";
import { renderHTML, renderMarkdown } from "./markdown.ts";

export interface RequestParts {
  /** Returns a form token, or "" on a page that is the same for every user. */
  csrfToken(): string;
  /** Returns the submitted value of a field in a route's form; undefined if the form was not submitted. */
  field?(route: string, name: string): SentField | undefined;
  /** Returns the flash message to show on this page. */
  flash?(): string;
  language?(languages: readonly string[]): string;
}

/** A field of a form that was not submitted with this request. */
const unsent: SentField = { value: undefined, problems: [] };

const layout = "layout.html";

/** Renders a template inside the site's layout. Throws a Fault for a missing template or layout. */
export function renderDocument(site: BundledSite, template: string, data: unknown, request: RequestParts): HTML {
  const content = renderTemplate(site, template, data, request, "");
  return new HTML(renderTemplate(site, layout, data, request, content), true);
}

/** Renders a template without a layout. Throws a Fault if the template is missing. */
export function renderFragment(site: BundledSite, template: string, data: unknown, request: RequestParts): HTML {
  return new HTML(renderTemplate(site, template, data, request, ""), false);
}

function renderTemplate(
  site: BundledSite,
  name: string,
  data: unknown,
  request: RequestParts,
  content: string,
): string {
  const template = findTemplate(site, name) ?? findTemplate(site, `${name}.html`);
  if (template === undefined) throw missingTemplate(site, name);
  return template(data ?? {}, templatePage(site, request, content));
}

function findTemplate({ templates }: BundledSite, name: string): CompiledTemplate | undefined {
  return Object.hasOwn(templates, name) ? templates[name] : undefined;
}

function templatePage(site: BundledSite, request: RequestParts, content: string): TemplatePage {
  let token: string | undefined;
  const csrfToken = (): string => (token ??= request.csrfToken());
  return {
    csrfToken,
    field: (route, name) => request.field?.(route, name) ?? unsent,
    flash: () => request.flash?.() ?? "",
    csrf: () => (csrfToken() === "" ? "" : `<input type="hidden" name="_csrf" value="${escapeHTML(csrfToken())}">`),
    language: (languages) => request.language?.(languages) ?? languages[0] ?? "en",
    markdown: (text) => renderMarkdown(site, text),
    html: (value) => renderHTML(site, value),
    content,
  };
}

function missingTemplate(site: BundledSite, name: string): Fault {
  const dir = `${site.declaration.dir}/templates/`;
  if (name === layout) return new Fault(`${dir} has no ${layout}: create it, or use site.fragment`);
  const suggestion = nearest(name, Object.keys(site.templates));
  return new Fault(`no template ${name} in ${dir}${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`);
}
