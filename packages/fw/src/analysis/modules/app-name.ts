import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { AboutApp } from "../../model/descriptions.ts";

/** Returns package.json's `name`, or the directory's base name. */
export function appName(root: string): string {
  return manifestTexts(root).name ?? (basename(root) || "app");
}

/** Returns package.json's `version` and `description`, for documents about the application. */
export function aboutApp(root: string): AboutApp {
  const { version, description } = manifestTexts(root);
  return { ...(version === undefined ? {} : { version }), ...(description === undefined ? {} : { description }) };
}

/** Returns the members of package.json that are non-empty strings; empty if the file is missing or not JSON. */
function manifestTexts(root: string): Readonly<Record<string, string>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    if (typeof manifest !== "object" || manifest === null) return {};
    return Object.fromEntries(
      Object.entries(manifest).filter((member): member is [string, string] => isText(member[1])),
    );
  } catch {
    return {};
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
