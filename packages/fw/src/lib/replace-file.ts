import { renameSync, rmSync, writeFileSync, type WriteFileOptions } from "node:fs";

/** Replaces the content of a file atomically: a process that is killed, or finds a full disk, keeps the old one. */
export function replaceFile(path: string, text: string, options: WriteFileOptions = {}): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, options);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
