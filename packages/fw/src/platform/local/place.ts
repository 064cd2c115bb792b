import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "../errors.ts";

/** A file that is in a data directory while what was in it is replaced. */
export const restoringFile = "restoring.json";

/** Fails with `data` where the data cannot be in a directory, and says what is in its place. */
export function requirePlace(directory: string): void {
  if (kindOf(directory) === "file")
    throw new PlatformError("data", `${directory} is a file: data is kept in a directory`);
  if (existsSync(join(directory, restoringFile)))
    throw new PlatformError(
      "data",
      `a restore into ${directory} did not come to its end: run fw restore again, with the same backup`,
    );
  const store = join(directory, "store");
  if (kindOf(store) === "directory")
    throw new PlatformError(
      "data",
      `${store} is a directory: fw keeps a file of this name there; keep the data in another directory`,
    );
}

function kindOf(path: string): "directory" | "file" | undefined {
  try {
    return statSync(path).isDirectory() ? "directory" : "file";
  } catch {
    // Whatever is wrong with it is told by who makes it.
    return undefined;
  }
}
