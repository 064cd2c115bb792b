import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import { hosted } from "./slot.ts";
import type { HTML } from "./html.ts";

/** Settings of a site, written as a literal. */
export interface SiteConfig {
  /** A shell command that makes the directory `out`, which is then served; both relative to the package's directory. */
  readonly build?: { readonly command: string; readonly out: string };
  /** Paths that have moved, and where to: `{ "/old-prices": "/prices" }`. Answered with a 301. */
  readonly redirects?: Readonly<Record<string, string>>;
  /** Leaves markdown unsanitised, for content never supplied by users. */
  readonly trustedHTML?: boolean;
  /** Template rendered for a mistyped URL and for a page's NotFound. */
  readonly notFound?: string;
  /** The file of a client-side router, such as `index.html`: what a browser gets that goes to a path which nothing else answers. */
  readonly fallback?: string;
}

/** What `Site` makes. */
export interface SiteDeclaration {
  /** Tells it from other declarations. */
  readonly kind: "site";
  /** The directory as it was written. */
  readonly dir: string;
  /** The settings as they were written. */
  readonly config: SiteConfig;
  /** A whole document: the template inside `templates/layout.html`. */
  render(ctx: Context, template: string, data?: unknown): HTML;
  /** The template alone, for partial requests. */
  fragment(ctx: Context, template: string, data?: unknown): HTML;
  /** Sanitised HTML of markdown text, which a page may return and a template shows as it stands. */
  markdown(ctx: Context, text: string): HTML;
}

/** A directory of static files and, in `templates/`, the templates of pages. One a package. */
export function Site(dir: string, config: SiteConfig = {}): SiteDeclaration {
  const site: SiteDeclaration = {
    kind: "site",
    dir,
    config,
    render: (ctx, template, data) => hosted<SiteHost>(ctx).render(ctx, site, template, data),
    fragment: (ctx, template, data) => hosted<SiteHost>(ctx).fragment(ctx, site, template, data),
    markdown: (ctx, text) => hosted<SiteHost>(ctx).markdown(ctx, site, text),
  };
  return declared(site);
}

/** What a site asks of the runtime, as part of the Host. */
export interface SiteHost {
  render(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
  fragment(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
  markdown(ctx: Context, site: SiteDeclaration, text: string): HTML;
}
