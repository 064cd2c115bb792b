import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const installed = fileURLToPath(new URL("../../", import.meta.url));
let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "fw-installed-"));
  cpSync(join(installed, "bin"), join(dir, "bin"), { recursive: true });
  symlinkSync(join(installed, "dist"), join(dir, "dist"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const version = (): string =>
  execFileSync(process.execPath, [join(dir, "bin/fw.js"), "--version"], { encoding: "utf8" });

// Node 20 has no compile cache.
describe.skipIf(!("enableCompileCache" in module))("fw starts from code that was compiled before", () => {
  test("which is beside the code, where who installed it writes", () => {
    expect(existsSync(join(dir, ".cache"))).toBe(false);
    version();
    expect(existsSync(join(dir, ".cache"))).toBe(true);
  });

  test("and without where that cannot be written", () => {
    writeFileSync(join(dir, ".cache"), "");
    expect(version()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
