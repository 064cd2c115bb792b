import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "../errors.ts";

/** A file that exists in a data directory only during a restore. */
export const restoringFile = "restoring.json";

/** Checks that the path can be a data directory. Otherwise throws a PlatformError `data`. */
export function requireDataDirectory(directory: string): void {
  if (kindOf(directory) === "file")
    throw new PlatformError("data", `${directory} is a file; the data needs a directory`);
  if (existsSync(join(directory, restoringFile)))
    throw new PlatformError(
      "data",
      `a restore into ${directory} was interrupted; run fw restore again with the same backup`,
    );
  const store = join(directory, "store");
  if (kindOf(store) === "directory")
    throw new PlatformError(
      "data",
      `${store} is a directory, but fw needs a file of that name; use another data directory`,
    );
}

function kindOf(path: string): "directory" | "file" | undefined {
  try {
    return statSync(path).isDirectory() ? "directory" : "file";
  } catch {
    // Creating the directory will report the problem.
    return undefined;
  }
}
