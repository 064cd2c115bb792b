import { Fault } from "../../declare/errors.ts";
import { HTML } from "../../declare/html.ts";
import { escapeHTML } from "../../lib/html.ts";
import { nearest } from "../../lib/suggest.ts";
import type { BundledSite, CompiledTemplate, TemplatePage } from "../bundle.ts";
import { renderHTML, renderMarkdown } from "./markdown.ts";

/** What templates need of the request that is answered. */
export interface RequestParts {
  /** A token for a form; "" on a page that is the same for everybody. */
  csrfToken(): string;
}

const layout = "layout.html";

/** The template inside the site's layout. Throws a Fault for a missing template or layout. */
export function renderDocument(site: BundledSite, template: string, data: unknown, request: RequestParts): HTML {
  const content = fill(site, template, data, request, "");
  return new HTML(fill(site, layout, data, request, content), true);
}

/** The template alone. Throws a Fault for a missing template. */
export function renderFragment(site: BundledSite, template: string, data: unknown, request: RequestParts): HTML {
  return new HTML(fill(site, template, data, request, ""), false);
}

function fill(site: BundledSite, name: string, data: unknown, request: RequestParts, content: string): string {
  const template = named(site, name) ?? named(site, `${name}.html`);
  if (template === undefined) throw missing(site, name);
  return template(data ?? {}, templatePage(site, request, content));
}

function named({ templates }: BundledSite, name: string): CompiledTemplate | undefined {
  return Object.hasOwn(templates, name) ? templates[name] : undefined;
}

function templatePage(site: BundledSite, request: RequestParts, content: string): TemplatePage {
  let token: string | undefined;
  const csrfToken = (): string => (token ??= request.csrfToken());
  return {
    csrfToken,
    csrf: () => (csrfToken() === "" ? "" : `<input type="hidden" name="_csrf" value="${escapeHTML(csrfToken())}">`),
    markdown: (text) => renderMarkdown(site, text),
    html: (value) => renderHTML(site, value),
    content,
  };
}

function missing(site: BundledSite, name: string): Fault {
  const place = `${site.declaration.dir}/templates/`;
  if (name === layout) return new Fault(`${place} has no ${layout}; a site without one uses site.fragment`);
  const meant = nearest(name, Object.keys(site.templates));
  return new Fault(`there is no template ${name} in ${place}${meant === undefined ? "" : `; did you mean ${meant}?`}`);
}
