import { randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const namePattern = /^fw-upload-(\d+)-[0-9a-f]{32}$/;

/** A file that is deleted when it is closed. */
export interface TemporaryFile {
  readonly handle: FileHandle;
  /** Closes the file. Never rejects. Repeated calls are no-ops. */
  close(): Promise<void>;
}

/**
 * Opens a temporary file and unlinks it, so a crash or leak leaves no file behind. If the system cannot unlink an open
 * file, deletes it on `close`.
 */
export async function openTemporary(): Promise<TemporaryFile> {
  const path = join(tmpdir(), `fw-upload-${process.pid}-${randomBytes(16).toString("hex")}`);
  const handle = await open(path, "wx+", 0o600);
  const nameless = await remove(path);
  return {
    handle,
    async close() {
      await handle.close().catch(ignore);
      if (!nameless) await remove(path);
    },
  };
}

/** Deletes the uploads of crashed processes. Never rejects. */
export async function sweepUploads(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const left = names.filter((name) => isLeft(namePattern.exec(name)?.[1]));
  await Promise.all(left.map((name) => remove(join(tmpdir(), name))));
}

function isLeft(pid: string | undefined): boolean {
  if (pid === undefined || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** Deletes a file. Resolves with whether that succeeded. */
function remove(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    () => false,
  );
}

function ignore(): void {}
