import { isA } from "../../lib/thrown.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import { definitionsOf } from "../../runtime/definitions.ts";
import { ConfigurationError } from "../configuration.ts";

/**
 * Opens the data of a service in a directory. Rejects with a ConfigurationError for what an operator can correct, such
 * as a directory that is not set, in use or not writable.
 */
export async function openData(directory: string, bundle: Bundle): Promise<LocalPlatform> {
  if (directory === "") throw new ConfigurationError("this service keeps data: set FW_DATA to the directory for it");
  try {
    return await openLocal(directory, definitionsOf(bundle), {
      warn: (sentence) => void process.stderr.write(`${sentence}\n`),
    });
  } catch (error) {
    if (isPlatformError(error, "locked")) {
      throw new ConfigurationError(
        `the data in ${directory} is in use by another process: give each process its own directory`,
      );
    }
    if (isPlatformError(error, "data")) throw new ConfigurationError(error.message);
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") {
      throw new ConfigurationError(
        "this service needs Node 24 or libsql to store data: run it with Node 24, or install libsql",
      );
    }
    if (isA(error, Error) && "syscall" in error)
      throw new ConfigurationError(`cannot store data in ${directory}: ${error.message}`);
    throw error;
  }
}
