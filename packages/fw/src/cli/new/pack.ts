import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ownDirectory } from "../../lib/own-modules.ts";

const blockBytes = 512;

/** The package that runs, as `npm pack` would write it: the same bytes of the same files every time. */
export function packOwnPackage(): Buffer {
  const root = join(ownDirectory, "..");
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly files: readonly string[];
  };
  const paths = ["package.json", "LICENSE", ...files].flatMap((path) => below(root, path)).toSorted();
  const entries = paths.flatMap((path) => entry(`package/${path}`, readFileSync(join(root, path)), isProgram(path)));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)]));
}

function below(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return path.endsWith(".tsbuildinfo") ? [] : [path];
  return readdirSync(join(root, path)).flatMap((name) => below(root, `${path}/${name}`));
}

function isProgram(path: string): boolean {
  return path.startsWith("bin/");
}

/** A file in the form of a POSIX tar archive (ustar). */
function entry(path: string, content: Buffer, executable: boolean): Buffer[] {
  const header = Buffer.alloc(blockBytes);
  const [name, prefix] = splitPath(path);
  header.write(name, 0, "utf8");
  header.write(octal(executable ? 0o755 : 0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  // The same as npm gives every file: archives of the same files are the same.
  header.write(octal(Date.UTC(1985, 9, 26, 8, 15) / 1000, 12), 136);
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  header.write(prefix, 345, "utf8");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  return [header, content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)];
}

/** A name has 100 bytes and what comes before it 155. */
function splitPath(path: string): [name: string, prefix: string] {
  if (Buffer.byteLength(path) <= 100) return [path, ""];
  const slash = path.indexOf("/", path.length - 101);
  return [path.slice(slash + 1), path.slice(0, slash)];
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}
