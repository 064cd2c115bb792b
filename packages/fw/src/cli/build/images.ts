import { join } from "node:path";
import type { Manifest } from "../../build/manifest.ts";
import { buildDirectory } from "../../build/directories.ts";
import { baseReference, readBase } from "../../deploy/image/base.ts";
import { BlobCache, cacheDirectory } from "../../deploy/image/blob-cache.ts";
import { imageOf, serviceSettings, type Image } from "../../deploy/image/image.ts";
import { writeLayout } from "../../deploy/image/layout.ts";
import { ForeignAddons } from "../../deploy/image/native-addons.ts";
import { readReference } from "../../deploy/image/reference.ts";
import { openRegistries } from "../../deploy/image/registry.ts";
import { messageOf } from "../../lib/thrown.ts";
import { Refusal, refuseOnError } from "../command.ts";
import type { IO } from "../io.ts";

/** The directory of images, below the application's directory. */
const imagesDirectory = join(".fw", "images");

/** Refuses an invalid reference to the base image. Commands call it before they build anything. */
export function checkBase(env: IO["env"]): void {
  refuseOnError(() => readReference(baseReference(env)), "cannot build images: ");
}

/**
 * Writes an image of each built service, tagged with the service's name. Returns a line with the digest of each image.
 */
export async function writeImages(root: string, { services }: Manifest, { env, progress }: IO): Promise<string> {
  const reference = baseReference(env);
  const cache = new BlobCache(cacheDirectory(env));
  const registries = openRegistries(env);
  try {
    progress.step(`reading the base image ${reference}`);
    const base = await readBase(reference, registries, cache);
    progress.step("writing images");
    const images = new Map<string, Image>();
    for (const { name } of services)
      images.set(name, await imageOf(join(root, buildDirectory, "services", name), base, serviceSettings));
    await writeLayout(join(root, imagesDirectory), images);
    return [...images].map(([name, { digest }]) => `oci:${imagesDirectory}:${name} ${digest}\n`).join("");
  } catch (error) {
    if (error instanceof ForeignAddons) throw new Refusal(error.message);
    throw new Refusal(`cannot build images: ${messageOf(error)}`);
  } finally {
    await registries.close();
  }
}
