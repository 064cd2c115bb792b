import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** A position in SQLite's write-ahead log: the number of frames in one generation of the log. */
export interface LogPosition {
  /** The two salts of the generation, in hex. SQLite changes them whenever it restarts the log. */
  readonly salts: string;
  readonly frames: number;
}

/** The log's header, including its checksum, which seeds the checksum of the first frame. */
export interface LogHeader {
  readonly salts: string;
  readonly pageSize: number;
  readonly isLittleEndian: boolean;
  readonly sums: readonly [number, number];
}

const logHeaderBytes = 32;
export const frameHeaderBytes = 24;

const magic = 0x377f0682;

/** Reads up to `length` bytes of an open file; fewer at its end. */
export function readAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}

/** Reads the log's header; returns undefined if it is invalid. SQLite then treats the log as empty. */
export function readLogHeader(file: number): LogHeader | undefined {
  const bytes = readAt(file, 0, logHeaderBytes);
  if (bytes.length < logHeaderBytes || (bytes.readUInt32BE(0) & ~1) !== magic) return undefined;
  const isLittleEndian = bytes.readUInt32BE(0) === magic;
  const sums = addSums([0, 0], bytes.subarray(0, 24), isLittleEndian);
  if (sums[0] !== bytes.readUInt32BE(24) || sums[1] !== bytes.readUInt32BE(28)) return undefined;
  return { salts: bytes.toString("hex", 16, 24), pageSize: bytes.readUInt32BE(8), isLittleEndian, sums };
}

export function frameAt(frame: number, pageSize: number): number {
  return logHeaderBytes + frame * (frameHeaderBytes + pageSize);
}

/** Describes damage in a log before a position that was once on disk; returns undefined if there is none. */
export function logDamage(path: string, position: LogPosition): string | undefined {
  const file = openIfThere(path);
  if (file === undefined) return "the log store-wal is missing";
  try {
    if (fstatSync(file).size === 0) return "the log store-wal is empty";
    const header = readLogHeader(file);
    if (header === undefined) return "the header of the log store-wal is damaged";
    // SQLite restarts the log only after copying all of it into the store.
    if (header.salts !== position.salts) return undefined;
    const valid = validFrames(file, header, position.frames);
    return valid < position.frames
      ? `frame ${valid + 1} of ${position.frames} in the log store-wal is damaged`
      : undefined;
  } finally {
    closeSync(file);
  }
}

/** Returns the number of frames before the first invalid one, up to a limit. */
function validFrames(file: number, header: LogHeader, limit: number): number {
  const length = frameHeaderBytes + header.pageSize;
  let { sums } = header;
  for (let frame = 0; frame < limit; frame++) {
    const bytes = readAt(file, frameAt(frame, header.pageSize), length);
    if (bytes.length < length || bytes.toString("hex", 8, 16) !== header.salts) return frame;
    sums = addSums(sums, bytes.subarray(0, 8), header.isLittleEndian);
    sums = addSums(sums, bytes.subarray(frameHeaderBytes), header.isLittleEndian);
    if (sums[0] !== bytes.readUInt32BE(16) || sums[1] !== bytes.readUInt32BE(20)) return frame;
  }
  return limit;
}

/** Continues SQLite's checksum: https://www.sqlite.org/fileformat2.html#checksum_algorithm */
function addSums(before: readonly [number, number], bytes: Buffer, isLittleEndian: boolean): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [one, other] = before;
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, isLittleEndian) + other) >>> 0;
    other = (other + view.getUint32(at + 4, isLittleEndian) + one) >>> 0;
  }
  return [one, other];
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
