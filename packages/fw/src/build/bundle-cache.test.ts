import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hashOfCode } from "./bundle-cache.ts";

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
