import { renameSync, rmSync, writeFileSync, type WriteFileOptions } from "node:fs";

/** Replaces the content of a file atomically. If the process is killed or the disk is full, the old content remains. */
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
