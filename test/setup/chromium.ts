import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const unpack = `await (await import("@sparticuz/chromium")).default.executablePath();`;

/**
 * Unpacks Chromium from its npm package. The package would use a file that another process is still unpacking, so this
 * happens once before tests start in parallel, and files are renamed only when complete.
 */
export default function chromium(): void {
  if (existsSync(join(tmpdir(), "chromium"))) return;
  const dir = mkdtempSync(join(tmpdir(), "fw-chromium-"));
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const args = ["--input-type=module", "-e", unpack];
  spawnSync(process.execPath, args, { cwd, env: { ...process.env, TMPDIR: dir }, stdio: "inherit" });
  for (const name of readdirSync(dir).toSorted(executableLast)) bring(join(dir, name), join(tmpdir(), name));
  rmSync(dir, { recursive: true, force: true });
}

/** Sorts the executable last, because the package checks only whether it exists. */
function executableLast(one: string, other: string): number {
  return Number(one === "chromium") - Number(other === "chromium");
}

/** Moves a file or directory, unless another run has already unpacked it. */
function bring(from: string, to: string): void {
  if (!existsSync(to)) renameSync(from, to);
}
