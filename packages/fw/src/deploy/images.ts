import type { Manifest } from "../build/manifest.ts";
import * as names from "../platform/gcp/names.ts";
import { baseReference, readBase } from "./image/base.ts";
import { BlobCache, cacheDirectory } from "./image/blob-cache.ts";
import { imageOf, serviceSettings, type Image } from "./image/image.ts";
import { pushImage } from "./image/push.ts";
import { openRegistries, partUrl, type Registries } from "./image/registry.ts";
import type { PushedImage } from "./deploy-cloud.ts";
import type { DeployPlace } from "./deploy-place.ts";

/** An application's images: references by service, and images by reference. */
export interface Images {
  readonly references: Readonly<Record<string, string>>;
  readonly pushed: ReadonlyMap<string, PushedImage>;
}

interface Building {
  readonly manifest: Manifest;
  readonly place: DeployPlace;
  readonly directoryOf: (service: string) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly token: () => Promise<string>;
}

/** Builds the images locally. They are reproducible, so a plan can tell which services have changed. */
export async function imagesOf({ manifest, place, directoryOf, env, token }: Building): Promise<Images> {
  const base = await readBase(baseReference(env), openRegistries(env), new BlobCache(cacheDirectory(env)));
  const registries = openRegistries(env, token);
  const repository = names.imageName(place);
  const builtImages = await Promise.all(
    manifest.services.map(async ({ name }) => ({
      name,
      image: await imageOf(directoryOf(name), base, serviceSettings),
    })),
  );
  const references = builtImages.map(({ name, image }) => [name, `${repository}@${image.digest}`] as const);
  const pushed = builtImages.map(
    ({ name, image }) =>
      [
        `${repository}@${image.digest}`,
        pushedOf(image, repository, names.serviceName(place, name), registries),
      ] as const,
  );
  return { references: Object.fromEntries(references), pushed: new Map(pushed) };
}

function pushedOf(image: Image, repository: string, tag: string, registries: Registries): PushedImage {
  const [host = "", ...rest] = repository.split("/");
  return {
    async exists() {
      const url = partUrl(host, rest.join("/"), `manifests/${image.digest}`);
      const answer = await registries.ask({ method: "HEAD", url });
      answer?.body.resume();
      return answer !== undefined;
    },
    async push() {
      await pushImage(image, repository, tag, registries);
    },
  };
}
