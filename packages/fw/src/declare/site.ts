import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import { hosted } from "./slot.ts";
import type { HTML } from "./html.ts";

/** Settings of a site, written as a literal. */
export interface SiteConfig {
  /**
   * A shell command that builds the directory `out`, which is the site's directory or contains it. The command runs in
   * the package's directory, and `out` is relative to that directory.
   */
  readonly build?: { readonly command: string; readonly out: string };
  /** Permanent redirects (301) from old paths to new ones: `{ "/old-prices": "/prices" }`. */
  readonly redirects?: Readonly<Record<string, string>>;
  /**
   * Turns off sanitizing of markdown and of `{{{html}}}` in templates. Use it only for content that never comes from
   * users.
   */
  readonly trustedHTML?: boolean;
  /** The template for unknown URLs and for pages that throw `NotFound`. */
  readonly notFound?: string;
  /** The default language, for users whose language has no file in `templates/messages/`. */
  readonly language?: string;
  /**
   * The file of the site to serve to browsers for paths that match nothing else, such as the `index.html` of an app
   * with client-side routing.
   */
  readonly fallback?: string;
}

/** Options of `site.render` and `site.fragment`. */
export interface RenderOptions {
  /** The language of the page, such as the language of the user's account. By default, the request determines it. */
  readonly language?: string | undefined;
}

/** The result of `Site`. */
export interface SiteDeclaration {
  /** The kind of declaration. */
  readonly kind: "site";
  /** The directory, as written. */
  readonly dir: string;
  /** The settings, as written. */
  readonly config: SiteConfig;
  /** Renders a whole document: the template inside `templates/layout.html`. */
  render(ctx: Context, template: string, data?: unknown, options?: RenderOptions): HTML;
  /** Renders the template alone, for partial requests. */
  fragment(ctx: Context, template: string, data?: unknown, options?: RenderOptions): HTML;
  /** Converts markdown to sanitized HTML. A page can return it; templates insert it without escaping. */
  markdown(ctx: Context, text: string): HTML;
}

/** Declares a directory of static files, with page templates in `templates/`. At most one per package. */
export function Site(dir: string, config: SiteConfig = {}): SiteDeclaration {
  const site: SiteDeclaration = {
    kind: "site",
    dir,
    config,
    render: (ctx, template, data, options) => hosted<SiteHost>(ctx).render(ctx, site, template, data, options),
    fragment: (ctx, template, data, options) => hosted<SiteHost>(ctx).fragment(ctx, site, template, data, options),
    markdown: (ctx, text) => hosted<SiteHost>(ctx).markdown(ctx, site, text),
  };
  return recordDeclaration(site);
}

/**
 * Sets a message for the next page in this browser, usually before a redirect: `flash(ctx, "Saved.")`. A template shows
 * it once, with `{{@flash}}`.
 */
export function flash(ctx: Context, message: string): void {
  hosted<SiteHost>(ctx).flash(ctx, message);
}

/** The part of the Host that renders templates. */
export interface SiteHost {
  render(ctx: Context, site: SiteDeclaration, template: string, data: unknown, options?: RenderOptions): HTML;
  fragment(ctx: Context, site: SiteDeclaration, template: string, data: unknown, options?: RenderOptions): HTML;
  markdown(ctx: Context, site: SiteDeclaration, text: string): HTML;
  flash(ctx: Context, message: string): void;
}
