import { createWriteStream, existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { digestOf, manifestType, type Image } from "./image.ts";

/** Replaces a directory with an OCI layout of the named images. */
export async function writeLayout(place: string, images: ReadonlyMap<string, Image>): Promise<void> {
  const fresh = `${place}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(join(fresh, "blobs", "sha256"), { recursive: true });
  for (const image of images.values()) {
    for (const layer of image.layers) await writeBlob(fresh, layer.digest, () => layer.open());
    for (const bytes of [image.config, image.manifest])
      await writeBlob(fresh, digestOf(bytes), () => Readable.from([bytes]));
  }
  const manifests = [...images].map(([name, { digest, manifest }]) => ({
    mediaType: manifestType,
    digest,
    size: manifest.byteLength,
    platform: { architecture: "amd64", os: "linux" },
    annotations: { "org.opencontainers.image.ref.name": name },
  }));
  const index = { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests };
  await writeFile(join(fresh, "index.json"), `${JSON.stringify(index, undefined, 2)}\n`);
  await writeFile(join(fresh, "oci-layout"), `{"imageLayoutVersion":"1.0.0"}\n`);
  await rm(place, { recursive: true, force: true });
  await rename(fresh, place);
}

/** Writes a blob unless it exists, because images share the layers of their base. */
async function writeBlob(layout: string, digest: string, open: () => Readable): Promise<void> {
  const path = join(layout, "blobs", ...digest.split(":"));
  if (!existsSync(path)) await pipeline(open(), createWriteStream(path));
}
