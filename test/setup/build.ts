import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Builds the packages: tests import their compiled modules, and start `fw` as a user would. `npm run types` reports
 * type errors.
 */
export default function build(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  for (const name of ["fw", "fake-cloud"]) {
    const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", `packages/${name}`], {
      cwd: root,
    });
    if (tsc.status !== 0) process.stderr.write(tsc.stdout);
  }
  for (const script of ["bundle", "docs"])
    spawnSync(process.execPath, [`packages/fw/${script}.mjs`], { cwd: root, stdio: "inherit" });
}
