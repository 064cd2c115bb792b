import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Packs the package once for all checks, because packing takes longer than each of them.
const root = fileURLToPath(new URL("../..", import.meta.url));
const packed = join(root, "node_modules/.cache/packed");
rmSync(packed, { recursive: true, force: true });
mkdirSync(packed, { recursive: true });
const args = ["pack", "--silent", "--workspace", "packages/fw", "--pack-destination", packed];
const { status } = spawnSync("npm", args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
for (const name of readdirSync(packed)) renameSync(join(packed, name), join(packed, "fw.tgz"));
process.exitCode = status ?? 1;
