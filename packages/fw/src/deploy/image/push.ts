import { Readable } from "node:stream";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { digestOf, manifestType, type Image } from "./image.ts";
import type { ImageLayer } from "./layer.ts";
import { partUrl, type Registries } from "./registry.ts";

export interface PushResult {
  /** `host/name@sha256:…`, which never changes. */
  readonly reference: string;
  /** The number of uploaded bytes; 0 if the registry already had everything. */
  readonly uploaded: number;
}

/** A registry's error code for an unknown or expired upload. */
const lostUpload = "BLOB_UPLOAD_UNKNOWN";

/** The maximum number of attempts to upload a blob. */
const maxUploads = 3;

type Blob = Pick<ImageLayer, "digest" | "size" | "open">;

/**
 * Pushes an image under a tag; `repository` is `host/project/repository/name`. Uploads missing blobs only, each
 * streamed in one request, because Artifact Registry does not support chunks. Rejects with a CloudError.
 */
export async function pushImage(
  image: Image,
  repository: string,
  tag: string,
  registries: Registries,
): Promise<PushResult> {
  const [host = "", ...rest] = repository.split("/");
  const name = rest.join("/");
  const reference = `${repository}@${image.digest}`;
  const manifest = partUrl(host, name, `manifests/${tag}`);
  const there = await registries.ask({ method: "GET", url: manifest, headers: { accept: manifestType } });
  there?.body.resume();
  if (there?.headers["docker-content-digest"] === image.digest) return { reference, uploaded: 0 };

  const uploadedSizes = await Promise.all(
    [...image.layers, configBlob(image)].map((blob) => uploadOnce(registries, host, name, blob)),
  );
  const answer = await registries.ask({
    method: "PUT",
    url: manifest,
    headers: { "content-type": manifestType },
    body: () => image.manifest,
  });
  answer?.body.resume();
  return { reference, uploaded: uploadedSizes.reduce((sum, size) => sum + size, image.manifest.byteLength) };
}

function configBlob({ config }: Image): Parameters<typeof uploadOnce>[3] {
  return { digest: digestOf(config), size: config.byteLength, open: () => Readable.from([config]) };
}

/**
 * Uploads a blob once for all images of a deploy, because they have the same base. Returns the number of uploaded
 * bytes, 0 if another image uploads it.
 */
async function uploadOnce(registries: Registries, host: string, name: string, blob: Blob): Promise<number> {
  const key = `${host}/${name}@${blob.digest}`;
  const underWay = registries.uploads.get(key);
  if (underWay !== undefined) return underWay.then(() => 0);
  const upload = uploadBlob(registries, host, name, blob);
  registries.uploads.set(key, upload);
  // Failed uploads may be retried.
  upload.catch(() => registries.uploads.delete(key));
  return upload;
}

/**
 * Uploads a blob and returns the number of uploaded bytes. After a lost response, checks whether the blob has arrived
 * before uploading it again.
 */
async function uploadBlob(registries: Registries, host: string, name: string, blob: Blob): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const there = await registries.ask({ method: "HEAD", url: partUrl(host, name, `blobs/${blob.digest}`) });
    there?.body.resume();
    if (there !== undefined) return attempt === 1 ? 0 : blob.size;
    try {
      await sendBlob(registries, host, name, blob);
      return blob.size;
    } catch (error) {
      if (!(error instanceof CloudError) || error.reason !== lostUpload || attempt === maxUploads) throw error;
    }
  }
}

async function sendBlob(registries: Registries, host: string, name: string, blob: Blob): Promise<void> {
  const start = partUrl(host, name, "blobs/uploads/");
  const started = await registries.ask({ method: "POST", url: start, headers: { "content-length": "0" } });
  started?.body.resume();
  const url = new URL(started?.headers.location ?? "", start);
  url.searchParams.set("digest", blob.digest);
  const answer = await registries.ask({
    method: "PUT",
    url,
    headers: { "content-type": "application/octet-stream", "content-length": String(blob.size) },
    body: () => Readable.toWeb(blob.open()) as ReadableStream<Uint8Array>,
  });
  answer?.body.resume();
}
