import { closeSync, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { recordIn } from "../../lib/record-in.ts";
import type { LogEntry } from "./entry.ts";
import { logPaths } from "./file.ts";

/** Milliseconds between polls of the file. */
const lookMs = 100;

/** Yields entries as they are written, until the signal aborts. */
export function followLog(root: string, signal: AbortSignal): AsyncGenerator<readonly LogEntry[]> {
  const stats = statOf(logPaths(root).current);
  return entriesAfter(root, stats?.size ?? 0, stats?.ino, signal);
}

async function* entriesAfter(
  root: string,
  begin: number,
  file: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly LogEntry[]> {
  const { current, previous } = logPaths(root);
  let [at, inode] = [begin, file];
  let rest: Buffer = Buffer.alloc(0);
  while (!signal.aborted) {
    await wait(lookMs, undefined, { signal }).catch(() => {});
    const read = [rest];
    const now = statOf(current)?.ino;
    if (now !== inode) {
      // The file was rotated: read the rest of the previous one first.
      if (inode !== undefined && statOf(previous)?.ino === inode) read.push(readFrom(previous, at));
      [at, inode] = [0, now];
    }
    const fresh = readFrom(current, at);
    at += fresh.length;
    const bytes = Buffer.concat([...read, fresh]);
    const end = bytes.lastIndexOf(0x0a) + 1;
    rest = bytes.subarray(end);
    const entries = entriesIn(bytes.subarray(0, end).toString());
    if (entries.length > 0) yield entries;
  }
}

function entriesIn(lines: string): readonly LogEntry[] {
  return lines.split("\n").flatMap((line) => (recordIn(line) as LogEntry | undefined) ?? []);
}

function readFrom(path: string, at: number): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - at));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, at));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
