import { basename, extname, relative, sep } from "node:path";
import { envFile } from "./env.ts";
import type { Change } from "./watch/watcher.ts";

/** What a burst of changes asks for. */
export interface SortedChanges {
  readonly all: readonly Change[];
  /** Modules of the application, and files that they may import. */
  readonly modules: readonly Change[];
  /** Files of a site that are sent as they are. */
  readonly assets: readonly Change[];
  /** Files below a site's `templates/`. */
  readonly templates: readonly Change[];
  /** The environment changed: the application needs a process that has it. */
  readonly environment: boolean;
  /** What modules and types mean changed: the analysis starts over, too. */
  readonly project: boolean;
}

const moduleExtensions = new Set([".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json"]);

export function sortChanges(changes: readonly Change[], root: string, siteDirs: readonly string[]): SortedChanges {
  const modules: Change[] = [];
  const assets: Change[] = [];
  const templates: Change[] = [];
  let environment = false;
  let project = false;
  for (const change of changes) {
    const site = siteDirs.find((dir) => change.path.startsWith(dir + sep));
    if (relative(root, change.path) === envFile) environment = true;
    else if (isProjectFile(change.path)) project = true;
    else if (site !== undefined) {
      const [first] = relative(site, change.path).split(sep);
      (first === "templates" ? templates : assets).push(change);
    } else if (moduleExtensions.has(extname(change.path))) modules.push(change);
  }
  return { all: changes, modules, assets, templates, environment, project };
}

function isProjectFile(path: string): boolean {
  const name = basename(path);
  return name === "package.json" || /^tsconfig(?:\.[\w-]+)?\.json$/.test(name);
}
