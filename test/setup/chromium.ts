import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const unpack = `await (await import("@sparticuz/chromium")).default.executablePath();`;

/**
 * Puts the Chromium of the packages where its package looks for it. The package takes a file that another process is
 * still unpacking for a whole one, so this is done once, before there are several, and every file arrives whole.
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

/** The executable is what the package looks for. */
function executableLast(one: string, other: string): number {
  return Number(one === "chromium") - Number(other === "chromium");
}

/** Another run may have brought a directory of the same content. */
function bring(from: string, to: string): void {
  if (!existsSync(to)) renameSync(from, to);
}
