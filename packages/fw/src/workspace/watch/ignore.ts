import { basename } from "node:path";

/** Directories nobody edits: dependencies, history, caches, the local data directory. */
export function ignoredDirectory(path: string): boolean {
  const name = basename(path);
  return name === "node_modules" || (name.startsWith(".") && name !== ".");
}

/** Files that editors and tools make on their way to saving another one. */
export function ignoredFile(path: string): boolean {
  const name = basename(path);
  if (name.startsWith(".")) return !name.startsWith(".env");
  return /~$|\.(?:swp|swx|swo|tmp|bak|crswap)$|^4913$|^#.*#$|___jb_(?:tmp|old)___$|\.tmp\.\d+|\.\d+\.tmp$/.test(name);
}
