import { realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { AssetTable, AssetVariants } from "../../lib/asset.ts";
import { isFingerprinted, isServed } from "../../lib/asset-name.ts";
import { VariantCache } from "../../lib/asset-variants.ts";
import type { BundledSite } from "../bundle.ts";
import { contentType } from "./mime.ts";

export interface Asset {
  readonly kind: "asset";
  /** Absolute path of the file. */
  readonly file: string;
  readonly type: string;
  /** True for a file with a fingerprinted name, whose bytes never change. */
  readonly immutable: boolean;
  /** Returns the encodings to choose from. Rejects if the file cannot be read. */
  variants(): Promise<AssetVariants> | AssetVariants;
  readonly contents?: ContentCache;
}

/** A moved path; the response is a 301. */
export interface SiteRedirect {
  readonly kind: "redirect";
  readonly location: string;
}

export interface SiteFiles {
  /**
   * Resolves a path to a redirect in the site's settings, a file, a directory's `index.html`, or a redirect that adds a
   * directory's slash; undefined if nothing matches. `path` is the request's raw path, percent-encoded and without its
   * query. `query` is the text after the question mark, or "". Cheap, because it reads no file.
   */
  lookup(path: string, query: string): Asset | SiteRedirect | undefined;
  /** Returns the file for paths that match nothing else, if the site has one. */
  fallback(): Asset | undefined;
}

/** Opens a site. It serves the files in `site.assets` or, if this is undefined, the current files of the directory. */
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

/** Finds files in a table that the build created, by their exact paths. */
function findInTable(dir: string, table: AssetTable): Find {
  const assets = new Map<string, Asset>();
  const contents = new ContentCache();
  for (const [path, variants] of Object.entries(table)) {
    assets.set(path, { ...assetOf(resolve(dir, path), path.split("/"), () => variants), contents });
  }
  return (names) => assets.get(names.join("/"));
}

/**
 * Finds files in a directory's current contents. The name on disk decides: a link must lead to a file that would also
 * be served directly.
 */
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

/** Returns the real path of a regular file that is inside the directory and would be served under its own name. */
function realFile(dir: string, names: readonly string[]): string | undefined {
  try {
    const root = realpathSync.native(dir);
    const file = realpathSync.native(join(root, ...names));
    const ownNames = relative(root, file).split(sep);
    return isServed(ownNames) && isSameSpelling(ownNames, names) && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

/** False if a case-insensitive file system matched a different spelling. A deployed site distinguishes case. */
function isSameSpelling(own: readonly string[], names: readonly string[]): boolean {
  const [a, b] = [own.join("/"), names.join("/")];
  return a === b || a.toLowerCase() !== b.toLowerCase();
}

/** Returns the Location of a moved path; undefined for other paths. */
type Redirects = (names: readonly string[], query: string) => string | undefined;

/** Prepares a site's `redirects`, whose keys are complete paths. */
function redirectsOf(redirects: Readonly<Record<string, string>>): Redirects {
  const targets = new Map<string, string>();
  for (const [from, to] of Object.entries(redirects)) targets.set(keyOf(pathNames(from) ?? [from]), headerValue(to));
  if (targets.size === 0) return () => undefined;
  return (names, query) => {
    const target = targets.get(keyOf(names));
    return target === undefined ? undefined : withQuery(target, query);
  };
}

function keyOf(names: readonly string[]): string {
  return `/${names.join("/")}`;
}

/** Escapes characters that a header cannot contain. Leaves existing escapes unchanged. */
function headerValue(url: string): string {
  return url.replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
}

/** Adds a request's query to a URL, before the fragment. */
function withQuery(url: string, query: string): string {
  if (query === "") return url;
  const hash = url.indexOf("#");
  const [base, fragment] = hash === -1 ? [url, ""] : [url.slice(0, hash), url.slice(hash)];
  return `${base}${base.includes("?") ? "&" : "?"}${query}${fragment}`;
}

/** Limit: bytes of static files that a built service holds in memory, per site. */
export const cachedAssetBytes: number = 16 * 1024 * 1024;

/** An LRU cache for the contents of a built site's small files. */
export class ContentCache {
  readonly #contents = new Map<string, Buffer>();
  #bytes = 0;

  get(file: string): Buffer | undefined {
    const content = this.#contents.get(file);
    if (content === undefined) return undefined;
    this.#contents.delete(file);
    this.#contents.set(file, content);
    return content;
  }

  keep(file: string, content: Buffer): void {
    if (this.#contents.has(file)) return;
    this.#contents.set(file, content);
    this.#bytes += content.byteLength;
    for (const [oldest, { byteLength }] of this.#contents) {
      if (this.#bytes <= cachedAssetBytes) return;
      this.#contents.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}

/**
 * Splits a raw request path into names (`/docs/a%20b` gives `["docs", "a b"]`; a final slash gives a final ""). Returns
 * undefined for a path with malformed escapes, an escaped slash, empty names, `.` or `..`.
 */
function pathNames(path: string): readonly string[] | undefined {
  if (!path.startsWith("/")) return undefined;
  const names = path.slice(1).split("/");
  const decoded = path.includes("%") ? decodeAll(names) : names;
  if (decoded === undefined || decoded.slice(0, -1).includes("")) return undefined;
  return decoded.some((name) => name === "." || name === ".." || name.includes("/")) ? undefined : decoded;
}

function decodeAll(names: readonly string[]): string[] | undefined {
  try {
    return names.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Joins names to a path that is escaped for a Location header. */
function escapedPath(names: readonly string[]): string {
  return `/${names.map(encodeURIComponent).join("/")}`;
}
