import { isAbsolute } from "node:path";
import { relativePath, withForwardSlashes } from "../lib/relative-path.ts";
import { ownDirectory } from "../lib/own-modules.ts";

/** The path from a service's directory to the application's. */
export const toRoot = "../../../..";

/** Returns the name of a file in a service's source maps, regardless of where the application and fw are installed. */
export function sourceName(root: string, path: string): string {
  // A generated module has a name instead of a path; the bundler resolves it against fw's working directory.
  const [, generated] = /(?:^|[/\\])(fw:.*)$/.exec(path) ?? [];
  if (generated !== undefined) return `${toRoot}/${generated}`;
  const own = below(ownDirectory, path);
  if (own !== undefined) return `fw/${own}`;
  const packages = withForwardSlashes(path).split("/node_modules/");
  if (packages.length > 1) return `${toRoot}/node_modules/${packages.at(-1)}`;
  return `${toRoot}/${below(root, path) ?? path}`;
}

function below(dir: string, path: string): string | undefined {
  const name = relativePath(dir, path);
  // On Windows, a relative path between two drives is absolute.
  return name.startsWith("../") || isAbsolute(name) ? undefined : name;
}
