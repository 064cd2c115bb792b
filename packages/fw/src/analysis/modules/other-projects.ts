import { existsSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import type { DeclaredModule } from "../declared.ts";
import { importedBy } from "../source/imports.ts";
import type { Project } from "../source/project.ts";

/**
 * Returns a predicate for files of other TypeScript projects, such as the sources of a single-page application: files
 * under a nearer tsconfig.json, if no declaration reaches them, and workspace packages with their own tsconfig.json.
 * Tests count as such files unless their project declares something. Their own builds check them, with other settings.
 */
export function otherProjectFiles(project: Project, modules: readonly DeclaredModule[]): (path: string) => boolean {
  // Computed first, so that the returned function does not retain the syntax trees.
  return isOtherProject(project.root, reachableFiles(project, modules), declaringPaths(modules));
}

function isOtherProject(
  root: string,
  reachable: ReadonlySet<string>,
  declaring: readonly string[],
): (path: string) => boolean {
  const nested = new Map<string, string | undefined>();
  const nestedProject = (dir: string): string | undefined => {
    if (dir === "." || dir.startsWith("..")) return undefined;
    if (!nested.has(dir)) {
      const isProject = existsSync(join(root, dir, "tsconfig.json"));
      nested.set(dir, isProject ? dir : nestedProject(dirname(dir)));
    }
    return nested.get(dir);
  };
  return (path) => {
    const dir = nestedProject(dirname(path));
    if (dir === undefined) return false;
    if (existsSync(join(root, dir, "package.json"))) return true;
    if (!isTest(path)) return !reachable.has(path);
    return !declaring.some((each) => nestedProject(dirname(each)) === dir);
  };
}

/** Returns the modules with declarations and everything they import, types included. */
function reachableFiles(project: Project, modules: readonly DeclaredModule[]): ReadonlySet<string> {
  const byPath = new Map(modules.map(({ module }) => [module.path, module]));
  const reachable = new Set(declaringPaths(modules));
  for (const path of reachable) {
    const module = byPath.get(path);
    if (module) for (const next of importedBy(project, module).all) reachable.add(next);
  }
  return reachable;
}

function declaringPaths(modules: readonly DeclaredModule[]): readonly string[] {
  return modules.flatMap(({ module, declared }) => (declared.length > 0 ? [module.path] : []));
}

function isTest(path: string): boolean {
  return /\.(?:test|spec)\.\w+$/.test(path);
}
