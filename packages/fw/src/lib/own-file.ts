import { readFileSync } from "node:fs";
import { Malformed, type Reader } from "./codec.ts";
import { isRecord } from "./record-in.ts";
import { messageOf } from "./thrown.ts";

/** Thrown if a file of fw has unexpected content. The message names the file. */
export class DamagedFile extends Error {}

/** Reads a JSON file of fw; undefined if it does not exist. Throws a DamagedFile if it is unreadable or damaged. */
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

/** Like `readOwnFile`, but also returns undefined for a damaged file. */
export function readOwnFileIfWhole<T>(path: string, reader: Reader<T>): T | undefined {
  try {
    return readOwnFile(path, reader);
  } catch (error) {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  }
}

/** Creates a reader for values with this `version`; it returns undefined for other versions. */
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
