import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "./command.ts";

/** The application's directory: the nearest one with a package.json, from `cwd` upwards. */
export function appRoot(cwd: string): string {
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (existsSync(join(dir, "package.json"))) return dir;
    if (dirname(dir) === dir) break;
  }
  throw new Refusal(
    `${cwd} is not in an application: there is no package.json here or above. "fw new ." makes an application here, "fw new <dir>" in a directory of its own`,
  );
}
