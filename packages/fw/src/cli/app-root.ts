import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readJSON } from "../lib/read-file.ts";
import { Refusal } from "./command.ts";

/** The application's directory: the nearest one with a package.json, from `cwd` upwards. */
export function appRoot(cwd: string): string {
  const root = upwards(cwd).find((dir) => existsSync(join(dir, "package.json")));
  if (root !== undefined) return withPlaceForFw(root);
  throw new Refusal(
    `${cwd} is not in an application: there is no package.json here or above. "fw new ." makes an application here, "fw new <dir>" in a directory of its own`,
  );
}

/** Whether a directory is in an application that depends on fw. */
export function isInApplication(cwd: string): boolean {
  const root = upwards(cwd).find((dir) => existsSync(join(dir, "package.json")));
  return root !== undefined && dependsOnFw(root);
}

/** What fw makes is in `.fw/`, so that no file may have its name. */
function withPlaceForFw(root: string): string {
  const place = join(root, ".fw");
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== false) return root;
  throw new Refusal(`${place} is a file, and fw keeps what it makes in a directory of that name: move the file away`);
}

/** The same of an application whose source is to be read: with the fw that it depends on where its imports find it. */
export function sourceRoot(cwd: string): string {
  const root = appRoot(cwd);
  if (!dependsOnFw(root) || upwards(root).some((dir) => existsSync(join(dir, "node_modules/fw")))) return root;
  if (upwards(root).some((dir) => existsSync(join(dir, ".pnp.cjs"))))
    throw new Refusal(
      `${root} is installed by Yarn's Plug'n'Play, and TypeScript finds no package that way: write "nodeLinker: node-modules" into .yarnrc.yml, and run yarn install`,
    );
  throw new Refusal(`fw, which package.json names, is not installed in ${root}: run ${installLine(root)}`);
}

/** Whether the package in a directory says that it is an application. */
export function dependsOnFw(dir: string): boolean {
  // Whoever reads it next says what is wrong with it.
  const manifest = readJSON(join(dir, "package.json")) as Readonly<Record<string, object | null>> | null | undefined;
  return ["dependencies", "devDependencies"].some((key) => Object.hasOwn(manifest?.[key] ?? {}, "fw"));
}

/** By the package manager whose lock file is there. */
function installLine(root: string): string {
  if (existsSync(join(root, "pnpm-lock.yaml"))) return "pnpm install";
  return existsSync(join(root, "yarn.lock")) ? "yarn install" : "npm install";
}

/** A directory and all that hold it. */
function upwards(dir: string): readonly string[] {
  return dirname(dir) === dir ? [dir] : [dir, ...upwards(dirname(dir))];
}
