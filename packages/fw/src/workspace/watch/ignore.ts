import { basename } from "node:path";

/** True for `node_modules` and hidden directories, such as git's history, caches and local data. */
export function ignoredDirectory(path: string): boolean {
  const name = basename(path);
  return name === "node_modules" || (name.startsWith(".") && name !== ".");
}

/** True for temporary files of editors and tools, and for dotfiles other than `.env` and its variants. */
export function ignoredFile(path: string): boolean {
  const name = basename(path);
  if (name.startsWith(".")) return !name.startsWith(".env");
  return /~$|\.(?:swp|swx|swo|tmp|bak|crswap)$|^4913$|^#.*#$|___jb_(?:tmp|old)___$|\.tmp\.\d+|\.\d+\.tmp$/.test(name);
}
