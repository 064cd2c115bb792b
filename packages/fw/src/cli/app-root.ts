import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readJSON } from "../lib/read-file.ts";
import { Refusal } from "./command.ts";

/** Finds the application's directory: the nearest one with a package.json, from `cwd` upwards. */
export function appRoot(cwd: string): string {
  const root = upwards(cwd).find((dir) => existsSync(join(dir, "package.json")));
  if (root !== undefined) return withPlaceForFw(root);
  throw new Refusal(
    `${cwd} is not in an application: no package.json here or in a directory above. Run "fw new ." to create an application here, or "fw new <dir>" to create one in a new directory`,
  );
}

/** True if a directory is inside an application that depends on fw. */
export function isInApplication(cwd: string): boolean {
  const root = upwards(cwd).find((dir) => existsSync(join(dir, "package.json")));
  return root !== undefined && dependsOnFw(root);
}

/** Refuses a file named `.fw`, because fw needs that path for its directory. */
function withPlaceForFw(root: string): string {
  const place = join(root, ".fw");
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== false) return root;
  throw new Refusal(`${place} is a file, but fw stores its files in a directory of that name; move the file away`);
}

/**
 * Finds the application's directory. Refuses an application that depends on fw if fw is not installed in
 * `node_modules`.
 */
export function sourceRoot(cwd: string): string {
  const root = appRoot(cwd);
  if (!dependsOnFw(root) || upwards(root).some((dir) => existsSync(join(dir, "node_modules/fw")))) return root;
  if (upwards(root).some((dir) => existsSync(join(dir, ".pnp.cjs"))))
    throw new Refusal(
      `${root} is installed with Yarn Plug'n'Play, which TypeScript cannot resolve packages from: add "nodeLinker: node-modules" to .yarnrc.yml and run yarn install`,
    );
  throw new Refusal(`fw is in package.json but not installed in ${root}; run ${installLine(root)}`);
}

/** True if the package in a directory depends on fw. */
export function dependsOnFw(dir: string): boolean {
  // A malformed manifest counts as not depending on fw. Whatever reads it next reports the mistake.
  const manifest = readJSON(join(dir, "package.json")) as Readonly<Record<string, object | null>> | null | undefined;
  return ["dependencies", "devDependencies"].some((key) => Object.hasOwn(manifest?.[key] ?? {}, "fw"));
}

/** Returns the install command of the package manager whose lock file exists; npm's by default. */
function installLine(root: string): string {
  if (existsSync(join(root, "pnpm-lock.yaml"))) return "pnpm install";
  return existsSync(join(root, "yarn.lock")) ? "yarn install" : "npm install";
}

/** Lists a directory and its ancestors, nearest first. */
function upwards(dir: string): readonly string[] {
  return dirname(dir) === dir ? [dir] : [dir, ...upwards(dirname(dir))];
}
