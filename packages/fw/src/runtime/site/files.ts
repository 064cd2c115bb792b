import { realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { AssetTable, AssetVariants } from "../../lib/asset.ts";
import { isFingerprinted, isServed } from "../../lib/asset-name.ts";
import { VariantCache } from "../../lib/asset-variants.ts";
import type { BundledSite } from "../bundle.ts";
import { ContentCache } from "./content-cache.ts";
import { contentType } from "./mime.ts";
import { escapedPath, pathNames } from "./path.ts";
import { redirectsOf, withQuery } from "./redirects.ts";

/** A file of a site that a path leads to. */
export interface Asset {
  readonly kind: "asset";
  /** Absolute path of the file. */
  readonly file: string;
  readonly type: string;
  /** True for a fingerprinted name: the bytes behind it never change. */
  readonly immutable: boolean;
  /** The ways to send it. Rejects when the file cannot be read. */
  variants(): Promise<AssetVariants> | AssetVariants;
  /** Where contents are kept that cannot change. */
  readonly contents?: ContentCache;
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
  /** The file for paths that nothing else answers, where the site has one. */
  fallback(): Asset | undefined;
}

/** Opens a site. With `site.assets` nothing but that table is served; without, the directory as it is at each request. */
export function openSite(site: Pick<BundledSite, "dir" | "redirects" | "assets" | "fallback">): SiteFiles {
  const redirect = redirectsOf(site.redirects);
  const find = site.assets === undefined ? findInDirectory(site.dir) : findInTable(site.dir, site.assets);
  return {
    lookup(path, query) {
      const names = pathNames(path);
      if (names === undefined) return undefined;
      const location = redirect(names, query);
      return location === undefined ? fileAt(names, query, find) : { kind: "redirect", location };
    },
    fallback: () => (site.fallback === undefined ? undefined : find(site.fallback.split("/"))),
  };
}

type Find = (names: readonly string[]) => Asset | undefined;

function fileAt(names: readonly string[], query: string, find: Find): Asset | SiteRedirect | undefined {
  if (names.at(-1) === "") return find([...names.slice(0, -1), "index.html"]);
  const asset = find(names);
  if (asset !== undefined || find([...names, "index.html"]) === undefined) return asset;
  return { kind: "redirect", location: withQuery(`${escapedPath(names)}/`, query) };
}

/** Files of a table made when the bundle was built: whatever a path spells, it can only name one of them. */
function findInTable(dir: string, table: AssetTable): Find {
  const assets = new Map<string, Asset>();
  const contents = new ContentCache();
  for (const [path, variants] of Object.entries(table)) {
    assets.set(path, { ...assetOf(resolve(dir, path), path.split("/"), () => variants), contents });
  }
  return (names) => assets.get(names.join("/"));
}

/** Files of a directory as it is now. The name on disk decides: a link leads only to what is served itself. */
function findInDirectory(dir: string): Find {
  const cache = new VariantCache();
  return (names) => {
    if (!isServed(names)) return undefined;
    const file = realFile(dir, names);
    return file === undefined ? undefined : assetOf(file, names, () => cache.variants(file));
  };
}

function assetOf(file: string, names: readonly string[], variants: Asset["variants"]): Asset {
  const name = names.at(-1) ?? "";
  return { kind: "asset", file, type: contentType(name), immutable: isFingerprinted(name), variants };
}

/** The regular file that names lead to, if it lies in the directory and would be served under its own name. */
function realFile(dir: string, names: readonly string[]): string | undefined {
  try {
    const root = realpathSync.native(dir);
    const file = realpathSync.native(join(root, ...names));
    const own = relative(root, file).split(sep);
    return isServed(own) && isSameSpelling(own, names) && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

/** False where a file system without letter case took one spelling for another: a deployed site would not. */
function isSameSpelling(own: readonly string[], names: readonly string[]): boolean {
  const [a, b] = [own.join("/"), names.join("/")];
  return a === b || a.toLowerCase() !== b.toLowerCase();
}
