import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const packageFile = new URL("../packages/fw/package.json", import.meta.url);
const page = new URL("../docs/dependencies.md", import.meta.url);

const { dependencies } = JSON.parse(readFileSync(packageFile, "utf8")) as { dependencies: Record<string, string> };

test("every runtime dependency has its sentence, and no other is listed", () => {
  const listed = [...readFileSync(page, "utf8").matchAll(/^\| `([^`]+)` +\|/gm)].map((row) => row[1]);
  expect(listed.toSorted()).toEqual(Object.keys(dependencies).toSorted());
});

test("there are at most eight direct runtime dependencies, each with an exact version", () => {
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(8);
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("no runtime dependency runs an install script, and all together are at most sixty", () => {
  const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as Lockfile;
  const shipped = new Map<string, LockEntry>();
  function ship(path: string): void {
    const entry = packages[path];
    if (entry === undefined || shipped.has(path)) return;
    shipped.set(path, entry);
    for (const name of Object.keys(entry.dependencies ?? {})) ship(locate(packages, path, name));
  }
  for (const name of Object.keys(dependencies)) ship(locate(packages, "packages/fw", name));
  expect([...shipped].filter(([, entry]) => entry.hasInstallScript).map(([path]) => path)).toEqual([]);
  expect(shipped.size).toBeGreaterThan(Object.keys(dependencies).length);
  expect(shipped.size).toBeLessThanOrEqual(60);
});

interface Lockfile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
}

/** Resolves `name` from the package at `from` like Node: in the nearest node_modules that contains it. */
function locate(packages: Lockfile["packages"], from: string, name: string): string {
  const own = `${from}/node_modules/${name}`;
  if (packages[own] !== undefined) return own;
  const parent = from.lastIndexOf("/node_modules/");
  return parent === -1 ? `node_modules/${name}` : locate(packages, from.slice(0, parent), name);
}

test("the package ships its license and how to report a weakness, as they are in the repository", () => {
  for (const name of ["LICENSE", "SECURITY.md"]) {
    const text = readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
    expect(readFileSync(new URL(`../packages/fw/${name}`, import.meta.url), "utf8"), name).toBe(text);
  }
  const manifest = JSON.parse(readFileSync(packageFile, "utf8")) as { license: string; files: string[] };
  expect(manifest.license).toBe("Apache-2.0");
  expect(readFileSync(new URL("../LICENSE", import.meta.url), "utf8")).toContain("Apache License");
  // npm packs the license, even if `files` does not list it.
  expect(manifest.files).toContain("SECURITY.md");
});
