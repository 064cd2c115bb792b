import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ownDirectory } from "../lib/own-modules.ts";

export function version(): string {
  const text = readFileSync(join(ownDirectory, "../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
