import { closeSync, constants, fsyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "../errors.ts";
import { frameAt, frameHeaderBytes, readAt, readLogHeader, type LogHeader, type LogPosition } from "./store-log.ts";

/** A file in the data directory that exists while a process has the store open. A clean close removes it. */
export const markFile = "store-open";

const empty: LogPosition = { salts: "0".repeat(16), frames: 0 };

/**
 * Marks a store as open and records how much of the write-ahead log is on disk. If the log is later damaged before that
 * position, acknowledged writes are lost and the next start refuses to open the store. The position is written after
 * each commit without fsync, so a power cut may leave an older position, which is still correct.
 */
export class OpenMark {
  readonly #directory: string;
  readonly #mark: number;
  #log: number | undefined;
  #position: LogPosition;

  /** Opens or creates the mark. Keeps a killed process's position until `clear` is called. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#position = readMark(directory) ?? empty;
    const flags = constants.O_RDWR | constants.O_CREAT;
    this.#mark = openSync(join(directory, markFile), flags, 0o600);
  }

  /**
   * Moves the position to the last commit in the log. Call it once that commit is on disk. If it fails, the older
   * position stays valid.
   */
  advance(): void {
    try {
      this.#advance();
    } catch {
      // An outdated position is harmless: the commit is on disk.
    }
  }

  #advance(): void {
    const log = (this.#log ??= openSync(join(this.#directory, "store-wal"), "r"));
    const header = readLogHeader(log);
    if (header === undefined) return;
    const from = header.salts === this.#position.salts ? this.#position.frames : 0;
    const frames = committedFrames(log, header, from);
    if (frames > from) this.#write({ salts: header.salts, frames });
  }

  /** Records durably that the store does not need its log. Call it after a full checkpoint. */
  clear(): void {
    if (this.#position.frames === 0) return;
    this.#write(empty);
    fsyncSync(this.#mark);
  }

  /** Removes the mark if the store does not need its log. */
  close(): void {
    if (this.#log !== undefined) closeSync(this.#log);
    closeSync(this.#mark);
    if (this.#position.frames === 0) rmSync(join(this.#directory, markFile), { force: true });
  }

  #write(position: LogPosition): void {
    writeSync(this.#mark, `${position.salts} ${String(position.frames).padStart(10, "0")}\n`, 0);
    this.#position = position;
  }
}

/** Reads the mark of a process that did not close its store; returns undefined if there is none. */
export function readMark(directory: string): LogPosition | undefined {
  const path = join(directory, markFile);
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  // A power cut while the store is being opened can leave an empty file.
  if (text === "") return empty;
  const [, salts = "", frames = ""] = /^([0-9a-f]{16}) (\d{10})\n$/.exec(text) ?? [];
  if (salts !== "") return { salts, frames: Number(frames) };
  throw new PlatformError("data", `${path} is damaged; restore a backup`);
}

/**
 * Searches for the last commit, starting at frame `from`, and returns the number of frames up to it. Later frames may
 * be left over from a rolled-back transaction.
 */
function committedFrames(log: number, { salts, pageSize }: LogHeader, from: number): number {
  let commit = from;
  for (let frame = from; ; frame++) {
    const bytes = readAt(log, frameAt(frame, pageSize), frameHeaderBytes);
    if (bytes.length < frameHeaderBytes || bytes.toString("hex", 8, 16) !== salts) return commit;
    if (bytes.readUInt32BE(4) !== 0) commit = frame + 1;
  }
}
