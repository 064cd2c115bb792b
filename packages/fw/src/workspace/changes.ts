import { basename, extname, relative, sep } from "node:path";
import { envFile } from "./env.ts";
import type { Change } from "./watch/watcher.ts";

/** A burst of changes, grouped by what each affects. */
export interface SortedChanges {
  readonly all: readonly Change[];
  /** Modules of the application, and other files that they may import. */
  readonly modules: readonly Change[];
  readonly assets: readonly Change[];
  /** Files in a site's `templates/`. */
  readonly templates: readonly Change[];
  /** True if `.env` changed: the application needs a new process. */
  readonly environment: boolean;
  /** True if the meaning of modules and types may have changed, so that the analysis has to start again. */
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

/** True if a change affects the application itself, not just the input of a build command. */
export function concernsApplication({ modules, templates, assets, environment, project }: SortedChanges): boolean {
  return project || environment || [modules, templates, assets].some((files) => files.length > 0);
}

function isProjectFile(path: string): boolean {
  const name = basename(path);
  return name === "package.json" || /^tsconfig(?:\.[\w-]+)?\.json$/.test(name);
}
