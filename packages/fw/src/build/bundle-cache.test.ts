import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundleKey, hashOfCode } from "./bundle-cache.ts";

test.each(["build/bundle.js", "build/load/check.js", "lib/edits.js", "workspace/module-resolver.js"])(
  "bundles of earlier code of fw are not read after a change of %s",
  (path) => {
    const directory = mkdtempSync(join(tmpdir(), "fw-code-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), "export {};");
    const before = hashOfCode(directory);
    expect(hashOfCode(directory)).toBe(before);
    writeFileSync(join(directory, path), "export { };");
    expect(hashOfCode(directory)).not.toBe(before);
  },
);

const base = { path: "tsconfig.json", text: `{ "compilerOptions": { "paths": { "#words": ["./words.ts"] } } }` };

/** Returns the key of a bundle with one module, in a directory with its own tsconfig.json. */
function keyWith(settings: string, extended = base.text): string | undefined {
  const root = mkdtempSync(join(tmpdir(), "fw-key-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "page"));
  writeFileSync(join(root, base.path), extended);
  writeFileSync(join(root, "page/tsconfig.json"), settings);
  return bundleKey("service", {
    root,
    entry: "fw:main",
    generated: new Map(),
    replacedModules: new Map(),
    separateChunks: new Map(),
    effects: new Map(),
    sources: new Map([["page/page.ts", "export {};"]]),
    startModules: [],
    externalFramework: false,
  });
}

test("the key of a bundle covers the settings that a tsconfig.json extends", () => {
  const settings = `{ "extends": "../tsconfig.json" }`;
  const key = keyWith(settings);
  expect(key).toEqual(expect.any(String));
  expect(keyWith(settings)).toBe(key);
  expect(keyWith(settings, base.text.replace("./words", "./other"))).not.toBe(key);
});

test.each([
  [`{ "extends": "@tsconfig/node24/tsconfig.json" }`],
  [`{ "extends": ["../tsconfig.json", "./more.json"] }`],
  [`{ "extends": "../missing.json" }`],
  [`{ /* "extends": "../tsconfig.json" */ "extends": "@tsconfig/node24/tsconfig.json" }`],
])("a bundle below settings that are not read has no key: %s", (settings) => {
  expect(keyWith(settings)).toBeUndefined();
});

test("a bundle below settings that extend a chain of settings has no key", () => {
  expect(keyWith(`{ "extends": "../tsconfig.json" }`, `{ "extends": "./base.json" }`)).toBeUndefined();
});
