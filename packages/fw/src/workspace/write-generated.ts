import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "../lib/replace-file.ts";

/** Writes a generated file atomically if its text has changed. Returns whether it did. */
export function writeGenerated(path: string, text: string): boolean {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return false;
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, text);
  return true;
}
