import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { tarBytes, type TarEntry } from "../../deploy/image/tar.ts";
import { ownDirectory } from "../../lib/own-modules.ts";

/** npm's fixed timestamp in seconds since 1970. It makes archives of equal files equal. */
const packedAt = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/** Packs the running fw as `npm pack` would, with reproducible bytes. */
export async function packOwnPackage(): Promise<Buffer> {
  const root = join(ownDirectory, "..");
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly files: readonly string[];
  };
  const paths = ["package.json", "LICENSE", ...files].flatMap((path) => below(root, path)).toSorted();
  const entries = paths.map((path): TarEntry => {
    const from = join(root, path);
    const bytes = readFileSync(from);
    const executable = path.startsWith("bin/");
    return {
      path: `package/${path}`,
      kind: "file",
      size: bytes.length,
      executable,
      open: () => Readable.from([bytes]),
    };
  });
  return gzipSync(await buffer(tarBytes(entries, packedAt)));
}

function below(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return path.endsWith(".tsbuildinfo") ? [] : [path];
  return readdirSync(join(root, path)).flatMap((name) => below(root, `${path}/${name}`));
}
