import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Tests that start `fw` as a user would need the package as it is published; type errors are `npm run types`' to report. */
export default function build(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "packages/fw"], { cwd: root });
  if (tsc.status !== 0) process.stderr.write(tsc.stdout);
  for (const script of ["bundle", "docs"])
    spawnSync(process.execPath, [`packages/fw/${script}.mjs`], { cwd: root, stdio: "inherit" });
}
