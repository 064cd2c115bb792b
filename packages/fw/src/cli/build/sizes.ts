import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BuiltService } from "../../build/build.ts";
import type { BundledFile } from "../../build/bundle.ts";
import { type Manifest, type ManifestService, manifestVersion } from "../../build/manifest.ts";
import { buildDirectory } from "../../build/directories.ts";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { columns } from "../../lib/columns.ts";
import { list, number, object, text } from "../../lib/codec.ts";
import { ofVersion, readOwnFileIfWhole } from "../../lib/own-file.ts";

/** The code size of each service in the previous build, in bytes by name. */
export type Sizes = ReadonlyMap<string, number>;

/** Reads the sizes of the previous build; empty if there is none or it has another format. */
export function sizesBefore(root: string): Sizes {
  const manifest = readOwnFileIfWhole(join(root, buildDirectory, "app.json"), ofVersion(manifestVersion, sizes));
  return new Map(manifest?.services.map(({ name, bytes }) => [name, bytes]));
}

const sizes = object<{ readonly services: readonly Pick<ManifestService, "name" | "bytes">[] }>({
  services: list(object<Pick<ManifestService, "name" | "bytes">>({ name: text, bytes: number })),
});

/** Formats a table of services: name, kind, size, compressed size and growth. */
export function sizesTable(manifest: Manifest, built: readonly BuiltService[], before: Sizes): string {
  const rows = manifest.services.map((service) => [
    service.name,
    service.kind,
    kilobytes(service.bytes),
    kilobytes(compressed(built.find(({ service: { name } }) => name === service.name))),
    change(service, before),
  ]);
  const all = [["service", "kind", "size", "gzip", before.size === 0 ? "" : "since the last build"], ...rows];
  return columns(all, { right: [2, 3] })
    .map((line) => `${line}\n`)
    .join("");
}

function compressed(built: BuiltService | undefined): number {
  const code = (built?.files ?? []).filter(({ name }) => !name.endsWith(".map"));
  return code.reduce((sum, file) => sum + compressedSize(file), 0);
}

const compressedSize = cachedByObject(({ text: code }: BundledFile): number => gzipSync(code).byteLength);

function change({ name, bytes }: ManifestService, before: Sizes): string {
  const last = before.get(name);
  if (last === undefined) return before.size === 0 ? "" : "new";
  if (last === bytes) return "";
  return `${bytes > last ? "+" : "-"}${kilobytes(Math.abs(bytes - last))}`;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
