import type { BundledSite } from "../bundle.ts";
import type { AssetVariant } from "../../lib/asset.ts";

/** A file of a site that a path leads to. */
export interface Asset {
  readonly kind: "asset";
  /** Absolute path of the file. */
  readonly file: string;
  readonly type: string;
  /** True for a fingerprinted name: the bytes behind it never change. */
  readonly immutable: boolean;
  variants(): Promise<readonly AssetVariant[]>;
}

/** A path that has moved: 301. */
export interface SiteRedirect {
  readonly kind: "redirect";
  /** Value of the Location header. */
  readonly location: string;
}

export interface SiteFiles {
  /**
   * What a path answers, or undefined: a redirect of the site's settings, a file, a directory's `index.html`, or the
   * redirect that adds a directory's slash. `path` is the raw path of the request, still percent-encoded, without
   * its query; `query` is what follows the question mark, or "". Cheap; reads no file.
   */
  lookup(path: string, query: string): Asset | SiteRedirect | undefined;
}

/** Opens a site. With `site.assets` nothing but that table is served; without, the directory as it is at each request. */
export declare function openSite(site: BundledSite): SiteFiles;
