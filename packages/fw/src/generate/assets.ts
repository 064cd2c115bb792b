import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { AssetTable, AssetVariants } from "../lib/asset.ts";
import { isServed } from "../lib/asset-name.ts";
import { variantsOf } from "../lib/asset-variants.ts";
import { key } from "./text.ts";

/** Files that are read at the same time. */
const atOnce = 16;

/** The table of a site's files as they are now, in path order: what a bundle serves from `dir`. */
export async function assetTable(dir: string): Promise<AssetTable> {
  const root = await realpath(dir);
  const paths = (await servedPaths(root, [], [root])).toSorted();
  const rows: (readonly [string, AssetVariants])[] = [];
  for (let i = 0; i < paths.length; i += atOnce) {
    const some = paths.slice(i, i + atOnce);
    rows.push(...(await Promise.all(some.map(async (path) => [path, await variantsOf(join(root, path))] as const))));
  }
  return Object.fromEntries(rows);
}

/** The module that exports a table as `assets`. */
export function assetsModule(table: AssetTable): string {
  const rows = Object.entries(table).map(([path, variants]) => `  ${key(path)}: ${JSON.stringify(variants)},\n`);
  return `export const assets = {\n${rows.join("")}};\n`;
}

/** Paths of the regular files below a directory of the site that may be sent. `parents` are the real directories above. */
async function servedPaths(root: string, names: readonly string[], parents: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  for (const name of await readdir(join(root, ...names))) {
    const inside = [...names, name];
    const real = await realServedPath(root, inside);
    if (real === undefined || parents.includes(real)) continue;
    const found = await stat(real);
    if (found.isDirectory()) paths.push(...(await servedPaths(root, inside, [...parents, real])));
    else if (found.isFile()) paths.push(inside.join("/"));
  }
  return paths;
}

/** Where a path of the site leads, if that is in the site and may be sent; a link may not lead out or to what is hidden. */
async function realServedPath(root: string, names: readonly string[]): Promise<string | undefined> {
  if (!isServed(names)) return undefined;
  try {
    const real = await realpath(join(root, ...names));
    return isServed(relative(root, real).split(sep)) ? real : undefined;
  } catch {
    return undefined;
  }
}
