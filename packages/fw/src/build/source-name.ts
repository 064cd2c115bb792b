import { relative, sep } from "node:path";
import { ownDirectory } from "../lib/own-modules.ts";

/** From a service's directory to the application's. */
const toRoot = "../../../..";

/** What a service's source map calls a file: the same wherever the application and fw are installed. */
export function sourceName(root: string, path: string): string {
  const own = below(ownDirectory, path);
  if (own !== undefined) return `fw/${own}`;
  const packages = path.split(sep).join("/").split("/node_modules/");
  if (packages.length > 1) return `${toRoot}/node_modules/${packages.at(-1)}`;
  return `${toRoot}/${below(root, path) ?? path}`;
}

function below(dir: string, path: string): string | undefined {
  const name = relative(dir, path).split(sep).join("/");
  return name.startsWith("../") ? undefined : name;
}
