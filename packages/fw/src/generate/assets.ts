import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { AssetTable, AssetVariants } from "../lib/asset.ts";
import { isServed } from "../lib/asset-name.ts";
import { variantsOf } from "../lib/asset-variants.ts";
import { key } from "./text.ts";

/** The number of files to read concurrently. */
const batchSize = 16;

/** Lists the files that a bundle serves from a site's `dir`, in path order. */
export async function assetTable(dir: string): Promise<AssetTable> {
  const root = await realpath(dir);
  const paths = (await publicPaths(root, [], [root])).toSorted();
  const rows: (readonly [string, AssetVariants])[] = [];
  for (let i = 0; i < paths.length; i += batchSize) {
    const batch = paths.slice(i, i + batchSize);
    rows.push(...(await Promise.all(batch.map(async (path) => [path, await variantsOf(join(root, path))] as const))));
  }
  return Object.fromEntries(rows);
}

export function assetsModule(table: AssetTable): string {
  const rows = Object.entries(table).map(([path, variants]) => `  ${key(path)}: ${JSON.stringify(variants)},\n`);
  return `export const assets = {\n${rows.join("")}};\n`;
}

/**
 * Lists the paths of the files below a directory of the site that fw serves. `parents` are the real paths of the
 * enclosing directories, used to detect cycles of links.
 */
async function publicPaths(root: string, names: readonly string[], parents: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  for (const name of await readdir(join(root, ...names))) {
    const inside = [...names, name];
    const real = await publicRealPath(root, inside);
    if (real === undefined || parents.includes(real)) continue;
    const stats = await stat(real);
    if (stats.isDirectory()) paths.push(...(await publicPaths(root, inside, [...parents, real])));
    else if (stats.isFile()) paths.push(inside.join("/"));
  }
  return paths;
}

/**
 * Resolves a path of the site. Returns undefined for missing files, for files that fw does not serve, and for links to
 * such files or outside the site.
 */
async function publicRealPath(root: string, names: readonly string[]): Promise<string | undefined> {
  if (!isServed(names)) return undefined;
  try {
    const real = await realpath(join(root, ...names));
    return isServed(relative(root, real).split(sep)) ? real : undefined;
  } catch {
    return undefined;
  }
}
