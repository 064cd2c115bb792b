import { isA } from "../../lib/thrown.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { openLocal } from "../../platform/local/open.ts";
import type { LocalPlatform } from "../../platform/local/open.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { definitionsOf } from "../../runtime/definitions.ts";
import { Misconfigured } from "../configuration.ts";

/** Opens the data of a service in a directory. Rejects with a Misconfigured. */
export async function openData(directory: string, bundle: Bundle): Promise<LocalPlatform> {
  if (directory === "") throw new Misconfigured("this service keeps data: set FW_DATA to the directory for it");
  try {
    return await openLocal(directory, definitionsOf(bundle), {
      warn: (sentence) => void process.stderr.write(`${sentence}\n`),
    });
  } catch (error) {
    if (isPlatformError(error, "locked")) {
      throw new Misconfigured(
        `the data in ${directory} is in use by another process: each needs a directory of its own`,
      );
    }
    if (isPlatformError(error, "data")) throw new Misconfigured(error.message);
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") {
      throw new Misconfigured(
        "before node 24 a service keeps data with libsql: run it with node 24, or install libsql",
      );
    }
    if (isA(error, Error) && "syscall" in error)
      throw new Misconfigured(`the data cannot be kept in ${directory}: ${error.message}`);
    throw error;
  }
}
