import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// Tests that start `fw` as a user would need the package as it is published.
export default function build(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "packages/fw"], {
    cwd: root,
    stdio: "inherit",
  });
}
