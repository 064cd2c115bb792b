import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const packageFile = new URL("../packages/fw/package.json", import.meta.url);
const page = new URL("../docs/dependencies.md", import.meta.url);

const { dependencies } = JSON.parse(readFileSync(packageFile, "utf8")) as { dependencies: Record<string, string> };

test("every runtime dependency has its sentence, and no other is listed", () => {
  const listed = [...readFileSync(page, "utf8").matchAll(/^\| `([^`]+)` \|/gm)].map((row) => row[1]);
  expect(listed.toSorted()).toEqual(Object.keys(dependencies).toSorted());
});

test("there are at most eight direct runtime dependencies, each with an exact version", () => {
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(8);
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("no runtime dependency runs an install script, and all together are at most sixty", () => {
  const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as Lockfile;
  const shipped = Object.entries(lock.packages).filter(([path, entry]) => isShipped(path, entry));
  expect(shipped.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path)).toEqual([]);
  expect(shipped.length).toBeLessThanOrEqual(60);
});

interface Lockfile {
  readonly packages: Record<string, LockEntry>;
}

interface LockEntry {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

/** Platform binaries are optional: one of each family is installed. */
function isShipped(path: string, entry: LockEntry): boolean {
  const external = path.startsWith("node_modules/") || path.startsWith("packages/fw/node_modules/");
  return external && !entry.dev && !entry.devOptional && !entry.optional && !entry.link;
}
