import { siteOf } from "../model/declarations.ts";
import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { variantSuffix } from "../lib/asset.ts";
import { filesDirectory } from "./runtime-files.ts";
import type { BuiltService } from "./build.ts";
import { manifestText, type Manifest } from "./manifest.ts";
import { ownDirectory, replaceDirectory } from "./own-directory.ts";
import { buildDirectory, siteDirectory } from "./places.ts";

export interface WriteOptions {
  /** Texts beside the manifest, by file name. */
  readonly more?: ReadonlyMap<string, string>;
  /**
   * Judges the new build by its directories of services, before it replaces the one before; where it rejects, that
   * one stays.
   */
  readonly check?: (fresh: string, before: string) => Promise<void>;
}

/** Puts a build in the place of the one before, all of it or nothing. */
export async function writeBuild(
  root: string,
  services: readonly BuiltService[],
  manifest: Manifest,
  options: WriteOptions = {},
): Promise<void> {
  const own = await writeOwnBuild(root, services, manifest, options);
  await replaceDirectory(join(root, buildDirectory), own);
}

/** Writes a build into a directory of its own, which no other command in the checkout reads or replaces. */
export async function writeOwnBuild(
  root: string,
  services: readonly BuiltService[],
  manifest: Manifest,
  { more = new Map(), check }: WriteOptions = {},
): Promise<string> {
  const place = join(root, buildDirectory);
  const own = await ownDirectory(place);
  try {
    for (const service of services) await writeService(root, join(own, "services", service.service.name), service);
    await writeFile(join(own, "app.json"), manifestText(manifest));
    for (const [name, text] of more) await writeFile(join(own, name), text);
    await check?.(join(own, "services"), join(place, "services"));
    return own;
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    throw error;
  }
}

/** Writes what a service is made of into an empty place. */
export async function writeService(
  root: string,
  place: string,
  { files, assets, runtimeFiles, service }: BuiltService,
): Promise<void> {
  await mkdir(place, { recursive: true });
  // Node reads the files as modules wherever they are put.
  await writeFile(join(place, "package.json"), `{ "type": "module" }\n`);
  for (const { name, text } of files) await writeFile(join(place, name), text);
  for (const path of runtimeFiles) await copyRuntimeFile(join(root, path), join(place, filesDirectory, path));
  const from = join(root, siteOf(service.package)?.dir ?? "");
  for (const [path, variants] of Object.entries(assets)) {
    const to = join(place, siteDirectory, path);
    await mkdir(dirname(to), { recursive: true });
    for (const { encoding } of variants) {
      await copyFile(join(from, path) + variantSuffix[encoding], to + variantSuffix[encoding]);
    }
  }
}

/** A path that code may make only when it runs is not there yet. Hidden files and modules of others stay away. */
async function copyRuntimeFile(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const isCopied = (path: string): boolean => path === from || !/^(?:\.|node_modules$)/.test(basename(path));
  await cp(from, to, { recursive: true, filter: isCopied });
}
