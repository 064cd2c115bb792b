import { Readable } from "node:stream";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { digestOf, manifestType, type Image } from "./image.ts";
import type { ImageLayer } from "./layer.ts";
import { partUrl, type Registries } from "./registry.ts";

/** An image that a registry has. */
export interface Pushed {
  /** `host/name@sha256:…`, which is this image for ever. */
  readonly reference: string;
  /** Bytes that were sent: none where the registry had all of it. */
  readonly uploaded: number;
}

/** What a registry says of an upload that it does not know, or that is over. */
const lostUpload = "BLOB_UPLOAD_UNKNOWN";

/** How often a blob is sent from its beginning. */
const mostUploads = 3;

/** Something of an image that a registry keeps by its digest. */
type Blob = Pick<ImageLayer, "digest" | "size" | "open">;

/**
 * Puts an image into a registry under a tag; `repository` is `host/project/repository/name`. Sends what is not there yet, each blob in
 * one request, since Artifact Registry takes none in pieces; it is read as it is sent. Rejects with a CloudError.
 */
export async function pushImage(
  image: Image,
  repository: string,
  tag: string,
  registries: Registries,
): Promise<Pushed> {
  const [host = "", ...rest] = repository.split("/");
  const name = rest.join("/");
  const reference = `${repository}@${image.digest}`;
  const manifest = partUrl(host, name, `manifests/${tag}`);
  const there = await registries.ask({ method: "GET", url: manifest, headers: { accept: manifestType } });
  there?.body.resume();
  if (there?.headers["docker-content-digest"] === image.digest) return { reference, uploaded: 0 };

  const config = {
    digest: digestOf(image.config),
    size: image.config.byteLength,
    open: () => Readable.from([image.config]),
  };
  const sent = await Promise.all([...image.layers, config].map((blob) => uploadOnce(registries, host, name, blob)));
  const answer = await registries.ask({
    method: "PUT",
    url: manifest,
    headers: { "content-type": manifestType },
    body: () => image.manifest,
  });
  answer?.body.resume();
  return { reference, uploaded: sent.reduce((sum, size) => sum + size, image.manifest.byteLength) };
}

/** Images of one deployment share their base: whoever comes second waits, and has sent nothing. */
async function uploadOnce(registries: Registries, host: string, name: string, blob: Blob): Promise<number> {
  const key = `${host}/${name}@${blob.digest}`;
  const underWay = registries.uploads.get(key);
  if (underWay !== undefined) return underWay.then(() => 0);
  const upload = uploadBlob(registries, host, name, blob);
  registries.uploads.set(key, upload);
  // What failed may be tried again.
  upload.catch(() => registries.uploads.delete(key));
  return upload;
}

/** The bytes that were sent. An upload whose answer was lost is over: whether it arrived is asked before it is made anew. */
async function uploadBlob(registries: Registries, host: string, name: string, blob: Blob): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const there = await registries.ask({ method: "HEAD", url: partUrl(host, name, `blobs/${blob.digest}`) });
    there?.body.resume();
    if (there !== undefined) return attempt === 1 ? 0 : blob.size;
    try {
      await sendBlob(registries, host, name, blob);
      return blob.size;
    } catch (error) {
      if (!(error instanceof CloudError) || error.reason !== lostUpload || attempt === mostUploads) throw error;
    }
  }
}

async function sendBlob(registries: Registries, host: string, name: string, blob: Blob): Promise<void> {
  const start = partUrl(host, name, "blobs/uploads/");
  const begun = await registries.ask({ method: "POST", url: start, headers: { "content-length": "0" } });
  begun?.body.resume();
  const url = new URL(begun?.headers.location ?? "", start);
  url.searchParams.set("digest", blob.digest);
  const answer = await registries.ask({
    method: "PUT",
    url,
    headers: { "content-type": "application/octet-stream", "content-length": String(blob.size) },
    body: () => Readable.toWeb(blob.open()) as ReadableStream<Uint8Array>,
  });
  answer?.body.resume();
}
