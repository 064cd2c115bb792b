import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Builds the package for tests that start `fw` as a user would. `npm run types` reports type errors. */
export default function build(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "packages/fw"], { cwd: root });
  if (tsc.status !== 0) process.stderr.write(tsc.stdout);
  // Builds the simulated cloud for rehearsals (`fw dev --cloud`). It changes rarely; `npm run build` updates it.
  if (!existsSync(join(root, "packages/fake-cloud/dist")))
    spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "packages/fake-cloud"], { cwd: root });
  for (const script of ["bundle", "docs"])
    spawnSync(process.execPath, [`packages/fw/${script}.mjs`], { cwd: root, stdio: "inherit" });
}
