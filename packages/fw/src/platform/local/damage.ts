import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { hasObjects, statOf } from "./files.ts";
import { markFile, readMark } from "./open-mark.ts";
import { logDamage } from "./store-log.ts";

/** The page size and page count in a store's header. */
interface Header {
  readonly pageSize: number;
  readonly pages: number;
}

/**
 * Describes what is missing from a store before it is opened; returns undefined if nothing is missing. Needed because
 * SQLite accepts a file with a truncated last page and treats an empty file as a new store.
 */
export function damageOf(directory: string): string | undefined {
  const path = join(directory, "store");
  const stats = statOf(path);
  const log = `${path}-wal`;
  const mark = readMark(directory);
  const logProblem = mark !== undefined && mark.frames > 0 ? logDamage(log, mark) : undefined;
  if (logProblem !== undefined)
    return `${logProblem}, and it contains the last writes of a killed process; delete ${markFile} to continue without them`;
  if (stats === undefined || stats.size === 0) {
    const leftover = hasObjects(directory) ? "objects" : (statOf(log)?.size ?? 0) > 0 ? "store-wal" : undefined;
    return leftover && `the file store is ${stats ? "empty" : "missing"}, but ${leftover} exists`;
  }
  return missingPages(path, log, stats.size);
}

/**
 * Describes the missing last pages of a store; undefined if the store and its log together have all pages, or if the
 * number of pages is unknown.
 */
function missingPages(path: string, log: string, size: number): string | undefined {
  const header = readHeader(path);
  if (header === undefined) return undefined;
  const { pages, inLog } = readLog(log, header);
  const completePages = Math.floor(size / header.pageSize);
  for (let page = completePages + 1; page <= pages; page++)
    if (!inLog.has(page)) return `the file store has ${size} bytes, expected ${pages * header.pageSize}`;
  return undefined;
}

/**
 * Reads the header. Returns undefined if an old SQLite has not recorded the length, or if the file is not a store,
 * which SQLite itself reports.
 */
function readHeader(path: string): Header | undefined {
  const bytes = withReader(path, (read) => read(0, 100));
  if (bytes.length < 100 || bytes.toString("latin1", 0, 15) !== "SQLite format 3") return undefined;
  const pageSize = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  const isPageCountValid = bytes.readUInt32BE(24) === bytes.readUInt32BE(92);
  return isPageCountValid && pageSize >= 512 ? { pageSize, pages: bytes.readUInt32BE(28) } : undefined;
}

/**
 * Returns the store's page count after the last commit in the log, and the committed pages in the log. Without a
 * commit, the page count is the header's.
 */
function readLog(path: string, { pageSize, pages }: Header): { readonly pages: number; readonly inLog: Set<number> } {
  const inLog = new Set<number>();
  const size = statOf(path)?.size ?? 0;
  if (size === 0) return { pages, inLog };
  return withReader(path, (read) => {
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

/** Runs work with a function that reads from a file at any position. */
function withReader<T>(path: string, work: (read: (at: number, length: number) => Buffer) => T): T {
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
