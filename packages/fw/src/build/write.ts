import { siteOf } from "../model/declarations.ts";
import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { variantSuffix } from "../lib/asset.ts";
import { filesDirectory } from "./runtime-files.ts";
import type { BuiltService } from "./build.ts";
import { manifestText, type Manifest } from "./manifest.ts";
import { ownDirectory, replaceDirectory } from "./own-directory.ts";
import { buildDirectory, siteDirectory } from "./directories.ts";

export interface WriteOptions {
  /** Additional files next to the manifest: texts by file name. */
  readonly more?: ReadonlyMap<string, string>;
  /** Checks the new services before they replace the previous ones, which stay if the check rejects. */
  readonly check?: (fresh: string, before: string) => Promise<void>;
}

/** Writes a build to a separate directory, which then replaces the previous build. */
export async function writeBuild(
  root: string,
  services: readonly BuiltService[],
  manifest: Manifest,
  options: WriteOptions = {},
): Promise<void> {
  const own = await writeOwnBuild(root, services, manifest, options);
  await replaceDirectory(join(root, buildDirectory), own);
}

/** Writes a build to its own directory, which no other command in the checkout reads or replaces. Returns its path. */
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

/** Writes the files of a service to an empty directory. */
export async function writeService(
  root: string,
  place: string,
  { files, assets, runtimeFiles, service }: BuiltService,
): Promise<void> {
  await mkdir(place, { recursive: true });
  // Makes Node treat the files as modules wherever they are copied.
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

/** Skips hidden files, node_modules, and a path that does not exist because code creates it at run time. */
async function copyRuntimeFile(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const isCopied = (path: string): boolean => path === from || !/^(?:\.|node_modules$)/.test(basename(path));
  await cp(from, to, { recursive: true, filter: isCopied });
}
