import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { build, builtServices, filesBelow } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";

const hall = {
  "hall/hall.ts": `import { API } from "fw";
import words from "./words.json" with { type: "json" };
import { mark } from "loud";
import { greeting } from "#greeting";
export const motto = API("GET /motto", (): string => greeting + words.motto + mark);
`,
  "hall/words.json": `{ "motto": "MOTTO" }`,
  "hall/hello.ts": `export const greeting = "HELLO";`,
  "hall/goodbye.ts": `export const greeting = "GOODBYE";`,
  "package.json": `{ "name": "app", "type": "module", "imports": { "#greeting": "./hall/hello.ts" } }`,
  "node_modules/loud/package.json": `{ "name": "loud", "type": "module", "exports": "./one.js" }`,
  "node_modules/loud/one.js": `export const mark = "!";`,
  "node_modules/loud/three.js": `export const mark = "!!!";`,
  "node_modules/loud/one.d.ts": `export declare const mark: string;`,
  "node_modules/loud/three.d.ts": `export declare const mark: string;`,
};

const cache = mkdtempSync(join(tmpdir(), "fw-bundles-"));
let firstCode: string;

beforeAll(async () => {
  vi.stubEnv("FW_BUNDLE_CACHE", cache);
  firstCode = await builtHall();
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

/** Builds the application in a new directory and returns the code of its service. */
async function builtHall(changes: Readonly<Record<string, string>> = {}, ...options: string[]): Promise<string> {
  const root = writeApplication({ ...hall, ...changes });
  try {
    await build(root, ...options);
    return builtServices(root).get("hall") ?? "";
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Replaces a string in every file of the cache. */
function rewrite(from: string, to: string): void {
  for (const [name, text] of filesBelow(cache)) writeFileSync(join(cache, name), text.replaceAll(from, to), "latin1");
}

test("the bundler reads no package that the service does not use", () => {
  const bundles = [...filesBelow(cache).values()].map((text) => JSON.parse(text) as { readonly files: object });
  const paths = bundles.flatMap(({ files }) => Object.keys(files));
  expect(paths.some((path) => path.includes("/packages/fw/dist/runtime/"))).toBe(true);
  const names = paths.flatMap((path) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.slice(1) ?? []);
  expect([...new Set(names)]).toEqual(["loud"]);
});

test("a damaged file of the cache is made again", async () => {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    writeFileSync(path, readFileSync(path).subarray(0, 99));
  }
  expect(await builtHall()).toBe(firstCode);
});

test("a bundle that is in the cache is read, in any directory", async () => {
  const names = readdirSync(cache);
  expect(names.length).toBeGreaterThan(0);
  rewrite("MOTTO", "CACHED");
  expect(await builtHall()).toBe(firstCode.replaceAll("MOTTO", "CACHED"));
  expect(readdirSync(cache)).toEqual(names);
});

test.each<[what: string, changes: Readonly<Record<string, string>>, code: string]>([
  ["a module", { "hall/hello.ts": `export const greeting = "GOOD DAY";` }, "GOOD DAY"],
  ["JSON that a module imports", { "hall/words.json": `{ "motto": "OTHER" }` }, "OTHER"],
  ["a package", { "node_modules/loud/one.js": `export const mark = "?!";` }, `"?!"`],
  [
    "the module that a package exports",
    { "node_modules/loud/package.json": `{ "name": "loud", "type": "module", "exports": "./three.js" }` },
    `"!!!"`,
  ],
  ["what package.json imports", { "package.json": hall["package.json"].replace("hello", "goodbye") }, "GOODBYE"],
])("the cache hides no change of %s", async (_what, changes, code) => {
  expect(firstCode).not.toContain(code);
  const changed = await builtHall(changes);
  expect(changed).toContain(code);
  expect(changed).not.toContain("CACHED");
});

test("the cache hides no change of the platform", async () => {
  expect(await builtHall({}, "--platform", "gcp")).toContain("MOTTO");
});

test("the cache hides no change of fw", async () => {
  for (const [name, text] of filesBelow(cache)) {
    const bundle = JSON.parse(text) as { files: Record<string, string> };
    const own = Object.keys(bundle.files).find((path) => path.includes("/packages/fw/dist/runtime/"));
    if (own !== undefined) bundle.files[own] = "the hash of an earlier version";
    writeFileSync(join(cache, name), JSON.stringify(bundle));
  }
  expect(await builtHall()).toBe(firstCode);
});

test("without the variable nothing is written", async () => {
  const names = readdirSync(cache);
  vi.stubEnv("FW_BUNDLE_CACHE", "");
  expect(await builtHall({ "hall/words.json": `{ "motto": "NEW" }` })).toContain("NEW");
  expect(readdirSync(cache)).toEqual(names);
});
