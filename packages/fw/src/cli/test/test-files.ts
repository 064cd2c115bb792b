import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const testName = /\.(?:test|spec)\.(?:ts|mts|tsx|js|mjs)$/;

/** Finds the test files of an application, or those whose paths contain a filter; absolute and sorted. */
export function findTests(root: string, filters: readonly string[]): string[] {
  const all = testsBelow(root, "").toSorted();
  const matching = filters.length === 0 ? all : all.filter((path) => filters.some((filter) => path.includes(filter)));
  return matching.map((path) => join(root, path));
}

/** Skips a directory with its own package.json: it is a separate application. */
function testsBelow(root: string, dir: string): string[] {
  const here = join(root, dir);
  if (dir !== "" && existsSync(join(here, "package.json"))) return [];
  return readdirSync(here, { withFileTypes: true }).flatMap((entry) => {
    const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
    if (entry.isDirectory()) return isPrivate(entry.name) ? [] : testsBelow(root, path);
    return testName.test(entry.name) ? [path] : [];
  });
}

function isPrivate(name: string): boolean {
  return name === "node_modules" || name === "dist" || name.startsWith(".");
}
