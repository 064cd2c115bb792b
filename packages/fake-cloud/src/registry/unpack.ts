import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { gunzipSync } from "node:zlib";

const blockSize = 512;

interface Entry {
  readonly path: string;
  readonly type: string;
  readonly target: string;
  readonly mode: number;
  readonly content: Buffer;
}

/** Extracts a compressed archive over a directory, like a layer of a container's file system. */
export async function unpack(layer: Uint8Array, root: string): Promise<void> {
  for (const { path, type, target, mode, content } of entriesOf(gunzipSync(layer))) {
    const to = join(root, normalize(`/${path}`));
    const [, whiteout] = /(?:^|\/)\.wh\.([^/]+)$/.exec(path) ?? [];
    if (whiteout !== undefined) {
      await rm(join(dirname(to), whiteout), { recursive: true, force: true });
      continue;
    }
    await mkdir(type === "5" ? to : dirname(to), { recursive: true });
    if (type === "5") continue;
    await rm(to, { recursive: true, force: true });
    if (type === "2") await symlink(target, to);
    else await writeFile(to, content);
    if (type === "0") await chmod(to, mode);
  }
}

/** Returns the entries of an archive, including names too long for its headers. */
function* entriesOf(archive: Buffer): Generator<Entry, void, undefined> {
  let long: Readonly<Record<string, string>> = {};
  for (let at = 0; at + blockSize <= archive.length;) {
    const header = archive.subarray(at, at + blockSize);
    if (header.every((byte) => byte === 0)) return;
    checkSum(header);
    const size = Number.parseInt(textAt(header, 124, 12), 8);
    const content = archive.subarray(at + blockSize, at + blockSize + size);
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
    const type = textAt(header, 156, 1);
    if (type === "x") {
      long = recordsOf(content);
      continue;
    }
    const prefix = textAt(header, 345, 155);
    const name = textAt(header, 0, 100);
    yield {
      path: long["path"] ?? (prefix === "" ? name : `${prefix}/${name}`),
      target: long["linkpath"] ?? textAt(header, 157, 100),
      type,
      mode: Number.parseInt(textAt(header, 100, 8), 8),
      content,
    };
    long = {};
  }
}

function checkSum(header: Buffer): void {
  const told = Number.parseInt(textAt(header, 148, 8), 8);
  const blank = Buffer.from(header).fill(" ", 148, 156);
  if (blank.reduce((sum, byte) => sum + byte, 0) !== told) throw new Error("an archive is damaged");
}

function textAt(header: Buffer, from: number, length: number): string {
  return header
    .subarray(from, from + length)
    .toString()
    .replace(/\0.*$/s, "")
    .trim();
}

function recordsOf(content: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < content.length;) {
    const length = Number.parseInt(content.subarray(at, at + 12).toString(), 10);
    const [name = "", ...value] = content
      .subarray(at, at + length - 1)
      .toString()
      .replace(/^\d+ /, "")
      .split("=");
    records[name] = value.join("=");
    at += length;
  }
  return records;
}
