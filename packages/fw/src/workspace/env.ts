import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The file of `name=value` lines beside package.json. */
export const envFile = ".env";

/** What `.env` adds to the environment: what the shell sets already wins. */
export function readEnv(root: string, shell: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const added: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(textOf(join(root, envFile))))) {
    if (value !== undefined && shell[name] === undefined) added[name] = value;
  }
  return added;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
