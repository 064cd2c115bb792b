import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Returns package.json's `name`, or the directory's base name. */
export function appName(root: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    if (typeof manifest === "object" && manifest !== null && "name" in manifest) {
      if (typeof manifest.name === "string" && manifest.name !== "") return manifest.name;
    }
  } catch {
    // Without a readable package.json the directory names the application.
  }
  return basename(root) || "app";
}
