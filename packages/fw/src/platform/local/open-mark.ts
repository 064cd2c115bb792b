import { closeSync, constants, fsyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "../errors.ts";
import { frameAt, frameHeaderBytes, readAt, readLogHeader, type LogHeader, type LogPosition } from "./store-log.ts";

/** The file in a data directory that is there while a process has the store open. A clean close removes it. */
export const markFile = "store-open";

const empty: LogPosition = { salts: "0".repeat(16), frames: 0 };

/**
 * The mark of an open store. It names the position up to which the write-ahead log is on disk: whatever the store lost
 * below that position was acknowledged, so the next start refuses the store instead of going on without it. The
 * position is written after each commit without an fsync: an older one, which a power cut may leave, is a weaker bound
 * and never a wrong one.
 */
export class OpenMark {
  readonly #directory: string;
  readonly #mark: number;
  #log: number | undefined;
  #position: LogPosition;

  /** Takes over the mark of a process that was killed, until `clear`. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#position = readMark(directory) ?? empty;
    const flags = constants.O_RDWR | constants.O_CREAT;
    this.#mark = openSync(join(directory, markFile), flags, 0o600);
  }

  /**
   * Moves the position to the last commit in the log; call it when that commit is on disk. Where it fails, the older
   * position stays true.
   */
  advance(): void {
    try {
      this.#advance();
    } catch {
      // The commit is on disk, whatever became of the mark.
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

  /** Says, durably, that the store needs nothing of its log: call it when all of the log is in the store. */
  clear(): void {
    if (this.#position.frames === 0) return;
    this.#write(empty);
    fsyncSync(this.#mark);
  }

  /** Removes the mark if the store needs nothing of its log. */
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

/** The position that the mark of a process that did not close its store names; undefined if there is no mark. */
export function readMark(directory: string): LogPosition | undefined {
  const path = join(directory, markFile);
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  // A power cut right after the store was opened.
  if (text === "") return empty;
  const [, salts = "", frames = ""] = /^([0-9a-f]{16}) (\d{10})\n$/.exec(text) ?? [];
  if (salts !== "") return { salts, frames: Number(frames) };
  throw new PlatformError("data", `${path} is damaged; put a copy of it back`);
}

/**
 * Counts the frames up to the last commit, from a frame on. Frames behind it may be left from a transaction that was
 * undone.
 */
function committedFrames(log: number, { salts, pageSize }: LogHeader, from: number): number {
  let commit = from;
  for (let frame = from; ; frame++) {
    const bytes = readAt(log, frameAt(frame, pageSize), frameHeaderBytes);
    if (bytes.length < frameHeaderBytes || bytes.toString("hex", 8, 16) !== salts) return commit;
    if (bytes.readUInt32BE(4) !== 0) commit = frame + 1;
  }
}
