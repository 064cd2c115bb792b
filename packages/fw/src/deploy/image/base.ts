import { buffer } from "node:stream/consumers";
import type { Readable } from "node:stream";
import type { BlobCache } from "./blob-cache.ts";
import { configOf, manifestType, type Image } from "./image.ts";
import { gzipLayer } from "./layer.ts";
import { readReference, type Reference } from "./reference.ts";
import { partUrl, type Registries } from "./registry.ts";

/**
 * Node 24 on Debian's libraries, without a shell or package manager. Pinned by digest; each release of fw may pin
 * another one.
 */
const defaultBase =
  "gcr.io/distroless/nodejs24-debian12@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a";

/** Returns the base image's reference: `FW_BASE_IMAGE` if set, else the pinned one. */
export function baseReference(env: Readonly<Record<string, string | undefined>>): string {
  return env["FW_BASE_IMAGE"] || defaultBase;
}

const indexTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];
const acceptHeader = [...indexTypes, manifestType, "application/vnd.docker.distribution.manifest.v2+json"].join(", ");

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Manifest {
  readonly mediaType?: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface Index {
  readonly manifests: readonly (Descriptor & {
    readonly platform?: { readonly os: string; readonly architecture: string };
  })[];
}

/**
 * Reads the base image and caches its parts on disk. Fetches a layer only when it is opened, because the registry
 * usually has it.
 */
export async function readBase(text: string, registries: Registries, cache: BlobCache): Promise<Image> {
  const reference = readReference(text);
  const pull = (path: string): Promise<Readable> => pullPart(registries, reference, path);
  const read = (digest: string, path: string): Promise<Uint8Array> => buffer(cache.read(digest, () => pull(path)));

  const { digest, manifest } = await platformManifest(text, reference.digest, (of) => read(of, `manifests/${of}`));
  const { config: described, layers } = JSON.parse(Buffer.from(manifest).toString()) as Manifest;
  const config = await read(described.digest, `blobs/${described.digest}`);
  const diffIds = configOf({ config }).rootfs.diff_ids;
  return {
    config,
    manifest,
    digest,
    layers: layers.map((layer, at) => ({
      mediaType: mediaTypes[layer.mediaType] ?? layer.mediaType,
      digest: layer.digest,
      diffId: diffIds[at] ?? "",
      size: layer.size,
      open: () => cache.read(layer.digest, () => pull(`blobs/${layer.digest}`)),
    })),
  };
}

/** Returns the digest and the manifest of an image. For an index of several images, chooses the one for linux/amd64. */
async function platformManifest(
  text: string,
  digest: string,
  manifestOf: (digest: string) => Promise<Uint8Array>,
): Promise<{ readonly digest: string; readonly manifest: Uint8Array }> {
  const manifest = await manifestOf(digest);
  const { manifests } = JSON.parse(Buffer.from(manifest).toString()) as Partial<Index>;
  if (manifests === undefined) return { digest, manifest };
  const ours = platformDigest(text, manifests);
  return { digest: ours, manifest: await manifestOf(ours) };
}

/** OCI equivalents of Docker's media types. */
const mediaTypes: Readonly<Record<string, string>> = {
  "application/vnd.docker.image.rootfs.diff.tar.gzip": gzipLayer,
};

function platformDigest(text: string, manifests: Index["manifests"]): string {
  const manifest = manifests.find(({ platform }) => platform?.os === "linux" && platform.architecture === "amd64");
  if (manifest) return manifest.digest;
  throw new Error(`the base image ${text} has no variant for linux/amd64`);
}

async function pullPart(registries: Registries, { host, name }: Reference, path: string): Promise<Readable> {
  const answer = await registries.ask({
    method: "GET",
    url: partUrl(host, name, path),
    headers: { accept: acceptHeader },
  });
  if (answer === undefined) throw new Error(`the registry ${host} has no ${name} with ${path}`);
  return answer.body;
}
