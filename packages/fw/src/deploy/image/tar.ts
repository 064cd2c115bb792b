import type { Readable } from "node:stream";

/** An entry of an archive, without an owner, a time or anything else that differs between machines. */
export type TarEntry = { readonly path: string } & (
  | { readonly kind: "directory" }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly size: number; readonly executable: boolean; readonly open: () => Readable }
);

const blockSize = 512;

/** Writes a ustar archive with a fixed time in seconds. Deterministic: the same entries give the same bytes. */
export async function* tarBytes(entries: Iterable<TarEntry>, time = 0): AsyncGenerator<Buffer, void, undefined> {
  for (const entry of entries) {
    yield* headerOf(entry, time);
    if (entry.kind !== "file") continue;
    let size = 0;
    for await (const chunk of entry.open()) {
      size += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
    if (size !== entry.size) throw new Error(`${entry.path} changed while it was read; build again`);
    yield padding(size);
  }
  yield Buffer.alloc(2 * blockSize);
}

function* headerOf(entry: TarEntry, time: number): Generator<Buffer, void, undefined> {
  const path = entry.kind === "directory" ? `${entry.path}/` : entry.path;
  const target = entry.kind === "link" ? entry.target : "";
  const names = splitPath(path);
  const long = [
    ...(names ? [] : [paxRecord("path", path)]),
    ...(fits(target, 100) ? [] : [paxRecord("linkpath", target)]),
  ];
  if (long.length > 0) {
    const records = Buffer.concat(long);
    yield block({ name: "pax", type: "x", size: records.length, mode: 0o644, time });
    yield records;
    yield padding(records.length);
  }
  yield block({
    ...(names ?? { name: truncate(path) }),
    target: fits(target, 100) ? target : truncate(target),
    type: { directory: "5", link: "2", file: "0" }[entry.kind],
    size: entry.kind === "file" ? entry.size : 0,
    mode: entry.kind === "file" && !entry.executable ? 0o644 : 0o755,
    time,
  });
}

interface Header {
  readonly name: string;
  readonly prefix?: string;
  readonly target?: string;
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  readonly time: number;
}

function block({ name, prefix = "", target = "", type, size, mode, time }: Header): Buffer {
  const header = Buffer.alloc(blockSize);
  header.write(name, 0, 100);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(time, 11), 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write("ustar\x0000", 257);
  header.write(octal(0, 7), 329);
  header.write(octal(0, 7), 337);
  header.write(prefix, 345, 155);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  );
  return header;
}

function octal(value: number, digits: number): string {
  const text = value.toString(8).padStart(digits, "0");
  if (text.length > digits) throw new Error(`a file of ${value} bytes is too large for an image`);
  return text;
}

/** Splits a path into the two fields of a header; undefined if it does not fit. */
function splitPath(path: string): { readonly name: string; readonly prefix: string } | undefined {
  if (fits(path, 100)) return { name: path, prefix: "" };
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== "" && fits(prefix, 155) && fits(name, 100)) return { name, prefix };
  }
  return undefined;
}

function fits(text: string, bytes: number): boolean {
  return Buffer.byteLength(text) <= bytes;
}

function truncate(text: string): string {
  return text.slice(0, 24);
}

/** Formats a pax record, `<length> <key>=<value>\n`, whose length includes its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function padding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
}
