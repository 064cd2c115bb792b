import { join } from "node:path";
import type { Manifest } from "../../build/manifest.ts";
import { buildDirectory } from "../../build/places.ts";
import { baseReference, readBase } from "../../deploy/image/base.ts";
import { BlobCache, cacheDirectory } from "../../deploy/image/blob-cache.ts";
import { imageOf, serviceSettings, type Image } from "../../deploy/image/image.ts";
import { writeLayout } from "../../deploy/image/layout.ts";
import { ForeignAddons } from "../../deploy/image/native-addons.ts";
import { readReference } from "../../deploy/image/reference.ts";
import { openRegistries } from "../../deploy/image/registry.ts";
import { messageOf } from "../../lib/thrown.ts";
import { Refusal, refusing } from "../command.ts";
import type { IO } from "../io.ts";

/** Where images are, from the application's directory. */
const imagesDirectory = join(".fw", "images");

/** Refuses a base that no image could stand on, before anything is built. */
export function checkBase(env: IO["env"]): void {
  refusing(() => readReference(baseReference(env)), "the images cannot be made: ");
}

/** Writes the image of every built service, by its name; a line for each. */
export async function writeImages(root: string, { services }: Manifest, { env }: IO): Promise<string> {
  const reference = baseReference(env);
  const cache = new BlobCache(cacheDirectory(env));
  const registries = openRegistries(env);
  try {
    const base = await readBase(reference, registries, cache);
    const images = new Map<string, Image>();
    for (const { name } of services)
      images.set(name, await imageOf(join(root, buildDirectory, "services", name), base, serviceSettings));
    await writeLayout(join(root, imagesDirectory), images);
    return [...images].map(([name, { digest }]) => `oci:${imagesDirectory}:${name} ${digest}\n`).join("");
  } catch (error) {
    if (error instanceof ForeignAddons) throw new Refusal(error.message);
    throw new Refusal(`the images cannot be made: ${messageOf(error)}`);
  } finally {
    await registries.close();
  }
}
