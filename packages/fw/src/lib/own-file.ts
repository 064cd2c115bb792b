import { readFileSync } from "node:fs";
import { isRecord, Malformed, type Reader } from "./codec.ts";
import { messageOf } from "./thrown.ts";

/** A file that fw wrote and that does not hold what fw writes; the message names the file. */
export class DamagedFile extends Error {}

/** Reads a JSON file that fw wrote. Undefined where there is none; throws a DamagedFile where its content is wrong. */
export function readOwnFile<T>(path: string, { read }: Reader<T>): T | undefined {
  const text = textOf(path);
  if (text === undefined) return undefined;
  try {
    return read(JSON.parse(text), "its JSON");
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError)
      throw new DamagedFile(`${path} is damaged: ${error.message}`);
    throw error;
  }
}

/** Reads a file as `readOwnFile` does; undefined where it is damaged, too. */
export function readOwnFileIfWhole<T>(path: string, reader: Reader<T>): T | undefined {
  try {
    return readOwnFile(path, reader);
  } catch (error) {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  }
}

/** Reads a value whose `version` is this one; undefined for a value of any other version. */
export function ofVersion<T>(version: number, { read }: Reader<T>): Reader<T | undefined> {
  return {
    read(value, at) {
      if (isRecord(value) && value["version"] !== version) return undefined;
      return read(value, at);
    },
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new DamagedFile(`${path} cannot be read: ${messageOf(error)}`);
  }
}
