import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { hasObjects, statOf } from "./files.ts";
import { markFile, readMark } from "./open-mark.ts";
import { logDamage } from "./store-log.ts";

/** What the first bytes of a store promise. */
interface Header {
  readonly pageSize: number;
  readonly pages: number;
}

/**
 * What is missing of a store before it is opened; undefined where nothing is. SQLite takes a file whose last page is cut off for
 * whole, and an empty one for new.
 */
export function damageOf(directory: string): string | undefined {
  const path = join(directory, "store");
  const found = statOf(path);
  const log = `${path}-wal`;
  const mark = readMark(directory);
  const logProblem = mark !== undefined && mark.frames > 0 ? logDamage(log, mark) : undefined;
  if (logProblem !== undefined)
    return `${logProblem}, and the last writes of a killed process are in it: deleting ${markFile} gives them up`;
  if (found === undefined || found.size === 0) {
    const beside = hasObjects(directory) ? "objects" : (statOf(log)?.size ?? 0) > 0 ? "store-wal" : undefined;
    return beside && `the file store is ${found ? "empty" : "not there"}, and ${beside} is beside it`;
  }
  const header = readHeader(path);
  if (header === undefined) return undefined;
  const { pages, inLog } = readLog(log, header);
  const whole = Math.floor(found.size / header.pageSize);
  for (let page = whole + 1; page <= pages; page++)
    if (!inLog.has(page)) return `the file store has ${found.size} bytes and had ${pages * header.pageSize}`;
  return undefined;
}

/** Undefined where the file is no store, which SQLite says, or too old to tell how long it is. */
function readHeader(path: string): Header | undefined {
  const bytes = reading(path, (read) => read(0, 100));
  if (bytes.length < 100 || bytes.toString("latin1", 0, 15) !== "SQLite format 3") return undefined;
  const pageSize = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  const counted = bytes.readUInt32BE(24) === bytes.readUInt32BE(92);
  return counted && pageSize >= 512 ? { pageSize, pages: bytes.readUInt32BE(28) } : undefined;
}

/** How many pages the store has with its log, and which of them the log has; as the header says where there is no log. */
function readLog(path: string, { pageSize, pages }: Header): { readonly pages: number; readonly inLog: Set<number> } {
  const inLog = new Set<number>();
  const size = statOf(path)?.size ?? 0;
  if (size === 0) return { pages, inLog };
  return reading(path, (read) => {
    const salts = read(16, 8);
    let committed = pages;
    let uncommitted: number[] = [];
    for (let at = 32; at + 24 + pageSize <= size; at += 24 + pageSize) {
      const frame = read(at, 24);
      if (!frame.subarray(8, 16).equals(salts)) break;
      uncommitted.push(frame.readUInt32BE(0));
      const pagesThen = frame.readUInt32BE(4);
      if (pagesThen === 0) continue;
      committed = pagesThen;
      for (const page of uncommitted) inLog.add(page);
      uncommitted = [];
    }
    return { pages: committed, inLog };
  });
}

/** Opens a file for work that reads pieces of it. */
function reading<T>(path: string, work: (read: (at: number, length: number) => Buffer) => T): T {
  const file = openSync(path, "r");
  try {
    return work((at, length) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, at));
    });
  } finally {
    closeSync(file);
  }
}
