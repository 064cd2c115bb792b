import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Exchange } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { bytesOf } from "../server.ts";

/** What a registry keeps under one name. */
interface Contents {
  readonly blobs: Map<string, Buffer>;
  /** By digest. */
  readonly manifests: Map<string, StoredManifest>;
  /** The digest that each stands for. */
  readonly tags: Map<string, string>;
}

interface StoredManifest {
  readonly type: string;
  readonly bytes: Buffer;
}

/** An image as a container starts from it. */
export interface StoredImage {
  readonly digest: string;
  readonly config: {
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly WorkingDir?: string;
  };
  /** Compressed archives, the lowest first. */
  readonly layers: readonly Buffer[];
}

/** A request that was counted, for tests of what is sent. */
interface Counted {
  readonly method: string;
  readonly path: string;
  readonly bytes: number;
}

interface RegistryFailure {
  readonly fault: number | "reset" | "lost answer";
  /** The request that it happens to, as `METHOD /path`. */
  readonly on?: RegExp;
}

class RegistryRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

interface Asked {
  readonly exchange: Exchange;
  /** The host and what is below `/v2/` up to the image's name. */
  readonly place: string;
  readonly contents: Contents;
}

/**
 * Registries of images: those of Artifact Registry (`europe-west1-docker.pkg.dev`), which ask for grants and take a blob in one piece
 * only, and `gcr.io`, from which everybody may pull.
 */
export class ImageRegistry {
  /** Repositories that there are, as `projects/p/locations/l/repositories/r`. */
  readonly repositories: Map<string, object>;
  readonly requests: Counted[] = [];
  /** What goes wrong with the next requests, once each; by default with any. */
  readonly failures: RegistryFailure[] = [];
  readonly #cloud: Cloud;
  readonly #names = new Map<string, Contents>();
  readonly #uploads = new Set<string>();

  constructor(cloud: Cloud, repositories: Map<string, object>) {
    this.#cloud = cloud;
    this.repositories = repositories;
  }

  /** Puts a manifest and the blobs that it names where everybody may pull them, as their owner has. */
  publish(name: string, manifest: Uint8Array, blobs: readonly Uint8Array[]): string {
    const contents = this.#contents(name);
    for (const blob of blobs) contents.blobs.set(digestOf(blob), Buffer.from(blob));
    const type = (JSON.parse(Buffer.from(manifest).toString()) as { mediaType: string }).mediaType;
    contents.manifests.set(digestOf(manifest), { type, bytes: Buffer.from(manifest) });
    return `${name}@${digestOf(manifest)}`;
  }

  /** Has a reference (`host/name@sha256:…`) answered with something else than what it names. */
  answerWith(reference: string, bytes: Uint8Array): void {
    const [name = "", digest = ""] = reference.split("@");
    this.#contents(name).manifests.set(digest, { type: "application/json", bytes: Buffer.from(bytes) });
  }

  /** The image that a reference (`host/name@sha256:…` or `host/name:tag`) names. */
  image(reference: string): StoredImage | undefined {
    const [, name = "", tag, digest] = /^(.+?)(?::([\w.-]+))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(reference) ?? [];
    const contents = this.#names.get(name);
    const found = digest ?? contents?.tags.get(tag ?? "latest") ?? "";
    const manifest = contents?.manifests.get(found);
    if (!contents || !manifest) return undefined;
    const { config, layers } = JSON.parse(manifest.bytes.toString()) as ManifestJson;
    const described = contents.blobs.get(config.digest)?.toString() ?? "{}";
    const bytes = layers.map((layer) => contents.blobs.get(layer.digest) ?? Buffer.alloc(0));
    return {
      digest: found,
      config: (JSON.parse(described) as { config?: StoredImage["config"] }).config ?? {},
      layers: bytes,
    };
  }

  /** Answers a request to a registry; false where its host is none. */
  async answer(exchange: Exchange): Promise<boolean> {
    const { host, request, response, path } = exchange;
    if (!/(?:^|\.)gcr\.io$|-docker\.pkg\.dev$/.test(host)) return false;
    const failure = this.#failureOf(`${request.method} ${path}`);
    if (failure === "reset") {
      request.socket.destroy();
      return true;
    }
    try {
      if (failure === "lost answer") response.writeHead = () => response.destroy();
      else if (failure !== undefined)
        throw new RegistryRefusal(failure, "UNAVAILABLE", "The service is currently unavailable.");
      await this.#answer(exchange);
    } catch (error) {
      if (!(error instanceof RegistryRefusal)) throw error;
      request.resume();
      response.writeHead(error.status, { "content-type": "application/json", ...error.headers });
      response.end(JSON.stringify({ errors: [{ code: error.code, message: error.message }] }));
    }
    this.requests.push({ method: request.method ?? "", path, bytes: Number(request.headers["content-length"] ?? 0) });
    return true;
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { host, path, request, response } = exchange;
    if (path === "/v2/token") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ token: "everybody" }));
      return;
    }
    const [, name = "", what = "", rest = ""] = /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/.exec(path) ?? [];
    if (name === "") throw new RegistryRefusal(404, "UNSUPPORTED", "The operation is unsupported.");
    this.#authorize(exchange, name);
    const asked = { exchange, place: `${host}/${name}`, contents: this.#contents(`${host}/${name}`) };
    const method = request.method ?? "";
    if (what === "manifests") return method === "PUT" ? this.#putManifest(asked, rest) : this.#manifest(asked, rest);
    if (rest === "uploads/" && method === "POST") return this.#begin(asked);
    if (rest.startsWith("uploads/")) return this.#upload(asked, rest.slice("uploads/".length));
    return this.#blob(asked, rest);
  }

  /** Public registries want a token, too, which they give to everybody. */
  #authorize({ host, request }: Exchange, name: string): void {
    const token = bearerOf(request.headers);
    const writes = !["GET", "HEAD"].includes(request.method ?? "");
    const challenge = {
      "www-authenticate": `Bearer realm="https://${host}/v2/token",service="${host}",scope="repository:${name}:${writes ? "push,pull" : "pull"}"`,
    };
    const caller = token === undefined ? undefined : this.#cloud.tokens.accountOf(token);
    if (host.endsWith("gcr.io")) {
      if (writes) throw new RegistryRefusal(403, "DENIED", "Permission denied.");
      if (token === undefined) throw new RegistryRefusal(401, "UNAUTHORIZED", "Unauthenticated request.", challenge);
      return;
    }
    const verb = writes ? "uploadArtifacts" : "downloadArtifacts";
    const [project = "", repository = ""] = name.split("/");
    const resource = `projects/${project}/locations/${host.replace("-docker.pkg.dev", "")}/repositories/${repository}`;
    const needed = {
      permission: `artifactregistry.repositories.${verb}`,
      resource: `//artifactregistry.googleapis.com/${resource}`,
    };
    if (caller === undefined)
      throw new RegistryRefusal(
        401,
        "UNAUTHORIZED",
        `Unauthenticated request. Unauthenticated requests do not have permission "${needed.permission}" on resource "${resource}" (or it may not exist)`,
        challenge,
      );
    if (!this.#cloud.may(caller, needed.permission, needed.resource))
      throw new RegistryRefusal(
        403,
        "DENIED",
        `Permission "${needed.permission}" denied on resource "${resource}" (or it may not exist)`,
      );
    if (!this.repositories.has(resource))
      throw new RegistryRefusal(404, "NAME_UNKNOWN", `Repository "${repository}" not found`);
  }

  #begin({ exchange, place }: Asked): void {
    const id = `upload-${this.requests.length}`;
    this.#uploads.add(`${place} ${id}`);
    exchange.request.resume();
    const location = `${exchange.path}${id}`;
    exchange.response.writeHead(202, { location, range: "0-0", "docker-upload-uuid": id }).end();
  }

  async #upload({ exchange, place, contents }: Asked, id: string): Promise<void> {
    const { request, response, search } = exchange;
    if (request.method !== "PUT")
      throw new RegistryRefusal(405, "UNSUPPORTED", "Artifact Registry does not support chunked uploads.");
    if (!this.#uploads.has(`${place} ${id}`))
      throw new RegistryRefusal(404, "BLOB_UPLOAD_UNKNOWN", "The upload is unknown.");
    const bytes = await bytesOf(request);
    const digest = search.get("digest") ?? "";
    if (digestOf(bytes) !== digest)
      throw new RegistryRefusal(400, "DIGEST_INVALID", "Provided digest did not match uploaded content.");
    this.#uploads.delete(`${place} ${id}`);
    contents.blobs.set(digest, bytes);
    response.writeHead(201, { "docker-content-digest": digest }).end();
  }

  #blob({ exchange, contents }: Asked, digest: string): void {
    const { request, response } = exchange;
    const blob = contents.blobs.get(digest);
    if (!blob) throw new RegistryRefusal(404, "BLOB_UNKNOWN", "Failed to fetch the blob.");
    const headers = {
      "content-type": "application/octet-stream",
      "content-length": blob.length,
      "docker-content-digest": digest,
    };
    response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : blob);
  }

  #manifest({ exchange, contents }: Asked, reference: string): void {
    const { request, response } = exchange;
    const digest = contents.tags.get(reference) ?? reference;
    const manifest = contents.manifests.get(digest);
    if (!manifest) throw new RegistryRefusal(404, "MANIFEST_UNKNOWN", `Failed to fetch "${reference}"`);
    const headers = {
      "content-type": manifest.type,
      "content-length": manifest.bytes.length,
      "docker-content-digest": digest,
    };
    response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : manifest.bytes);
  }

  async #putManifest({ exchange, contents }: Asked, reference: string): Promise<void> {
    const { request, response } = exchange;
    const bytes = await bytesOf(request);
    const { config, layers, mediaType } = JSON.parse(bytes.toString()) as ManifestJson;
    const missing = [config, ...layers].find(({ digest }) => !contents.blobs.has(digest));
    if (missing)
      throw new RegistryRefusal(400, "MANIFEST_BLOB_UNKNOWN", `Manifest references unknown blob: "${missing.digest}"`);
    const wrong = [config, ...layers].find(({ digest, size }) => contents.blobs.get(digest)?.length !== size);
    if (wrong) throw new RegistryRefusal(400, "MANIFEST_INVALID", `The size of "${wrong.digest}" is another one`);
    const type = request.headers["content-type"] ?? "";
    if (type !== mediaType) throw new RegistryRefusal(400, "MANIFEST_INVALID", `The media type is not "${type}"`);
    const digest = digestOf(bytes);
    contents.manifests.set(digest, { type, bytes });
    if (!reference.startsWith("sha256:")) contents.tags.set(reference, digest);
    response.writeHead(201, { "docker-content-digest": digest }).end();
  }

  #failureOf(line: string): RegistryFailure["fault"] | undefined {
    const at = this.failures.findIndex(({ on }) => on === undefined || on.test(line));
    return at === -1 ? undefined : this.failures.splice(at, 1)[0]?.fault;
  }

  #contents(name: string): Contents {
    const known = this.#names.get(name) ?? { blobs: new Map(), manifests: new Map(), tags: new Map() };
    this.#names.set(name, known);
    return known;
  }
}

interface ManifestJson {
  readonly mediaType: string;
  readonly config: { readonly digest: string; readonly size: number };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  const [, scheme, value = ""] = /^(Bearer|Basic) (.+)$/i.exec(authorization ?? "") ?? [];
  // Other tools write a token as the password of a user of that name.
  if (scheme === "Basic")
    return Buffer.from(value, "base64")
      .toString()
      .replace(/^oauth2accesstoken:/, "");
  return scheme === undefined ? undefined : value;
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
