import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Reply, type Exchange } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { Refusal, refused } from "../errors.ts";
import { bytesOf, writeAnswer } from "../server.ts";

/** The contents of a repository. */
interface Contents {
  readonly blobs: Map<string, Buffer>;
  /** By digest. */
  readonly manifests: Map<string, StoredManifest>;
  /** The digest of each tag. */
  readonly tags: Map<string, string>;
}

interface StoredManifest {
  readonly type: string;
  readonly bytes: Buffer;
}

/** An image to start a container from. */
export interface StoredImage {
  readonly digest: string;
  readonly config: {
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly WorkingDir?: string;
  };
  /** Compressed layers, lowest first. */
  readonly layers: readonly Buffer[];
}

/** A recorded request, for tests of the traffic. */
interface Counts {
  readonly method: string;
  readonly path: string;
  readonly bytes: number;
}

interface RegistryFailure {
  readonly fault: number | "reset" | "lost answer";
  /** The request to fail, as `METHOD /path`. */
  readonly on?: RegExp;
}

interface RegistryCall {
  readonly exchange: Exchange;
  /** The host and the path below `/v2/` up to the image's name. */
  readonly place: string;
  readonly contents: Contents;
}

/**
 * Image registries: Artifact Registry (`europe-west1-docker.pkg.dev`), which checks grants and accepts each blob in one
 * piece only, and `gcr.io`, with public access.
 */
export class ImageRegistry {
  /** Existing repositories, as `projects/p/locations/l/repositories/r`. */
  readonly repositories: Map<string, object>;
  readonly requests: Counts[] = [];
  /** Faults for the next matching requests, one each. */
  readonly failures: RegistryFailure[] = [];
  readonly #cloud: Cloud;
  readonly #names = new Map<string, Contents>();
  readonly #uploads = new Set<string>();

  constructor(cloud: Cloud, repositories: Map<string, object>) {
    this.#cloud = cloud;
    this.repositories = repositories;
  }

  /** Stores a manifest and its blobs for public pulls. Returns the image's reference. */
  publish(name: string, manifest: Uint8Array, blobs: readonly Uint8Array[]): string {
    const contents = this.#contents(name);
    for (const blob of blobs) contents.blobs.set(digestOf(blob), Buffer.from(blob));
    const type = (JSON.parse(Buffer.from(manifest).toString()) as { mediaType: string }).mediaType;
    contents.manifests.set(digestOf(manifest), { type, bytes: Buffer.from(manifest) });
    return `${name}@${digestOf(manifest)}`;
  }

  /** Makes a reference (`host/name@sha256:…`) return content that does not match its digest. */
  answerWith(reference: string, bytes: Uint8Array): void {
    const [name = "", digest = ""] = reference.split("@");
    this.#contents(name).manifests.set(digest, { type: "application/json", bytes: Buffer.from(bytes) });
  }

  /** Returns the image with a reference (`host/name@sha256:…` or `host/name:tag`); undefined if it was not pushed. */
  image(reference: string): StoredImage | undefined {
    const [, name = "", tag, digest] = /^(.+?)(?::([\w.-]+))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(reference) ?? [];
    const contents = this.#names.get(name);
    const resolved = digest ?? contents?.tags.get(tag ?? "latest") ?? "";
    const manifest = contents?.manifests.get(resolved);
    if (!contents || !manifest) return undefined;
    const { config, layers } = JSON.parse(manifest.bytes.toString()) as ManifestJson;
    const described = contents.blobs.get(config.digest)?.toString() ?? "{}";
    const bytes = layers.map((layer) => contents.blobs.get(layer.digest) ?? Buffer.alloc(0));
    return {
      digest: resolved,
      config: (JSON.parse(described) as { config?: StoredImage["config"] }).config ?? {},
      layers: bytes,
    };
  }

  /** Handles a request to a registry; returns false if the host is not one. */
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
      else if (failure !== undefined) throw refused(failure, "The service is currently unavailable.", "UNAVAILABLE");
      writeAnswer(response, await this.#answer(exchange));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, headers, reason: code, message } = error;
      request.resume();
      const body = JSON.stringify({ errors: [{ code, message }] });
      writeAnswer(response, new Reply(status, { "content-type": "application/json", ...headers }, body));
    }
    this.requests.push({ method: request.method ?? "", path, bytes: Number(request.headers["content-length"] ?? 0) });
    return true;
  }

  async #answer(exchange: Exchange): Promise<unknown> {
    const { host, path, request } = exchange;
    if (path === "/v2/token") return { token: "everybody" };
    const [, name = "", what = "", rest = ""] = /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/.exec(path) ?? [];
    if (name === "") throw refused(404, "The operation is unsupported.", "UNSUPPORTED");
    this.#authorize(exchange, name);
    const call = { exchange, place: `${host}/${name}`, contents: this.#contents(`${host}/${name}`) };
    const method = request.method ?? "";
    if (what === "manifests") return method === "PUT" ? this.#putManifest(call, rest) : this.#manifest(call, rest);
    if (rest === "uploads/" && method === "POST") return this.#begin(call);
    if (rest.startsWith("uploads/")) return this.#upload(call, rest.slice("uploads/".length));
    return this.#blob(call, rest);
  }

  /** Checks a request's token and the permission of its account. Public registries accept any token, but no writes. */
  #authorize({ host, request }: Exchange, name: string): void {
    const token = bearerOf(request.headers);
    const writes = !["GET", "HEAD"].includes(request.method ?? "");
    const challenge = {
      "www-authenticate": `Bearer realm="https://${host}/v2/token",service="${host}",scope="repository:${name}:${writes ? "push,pull" : "pull"}"`,
    };
    const caller = token === undefined ? undefined : this.#cloud.tokens.accountOf(token);
    if (host.endsWith("gcr.io")) {
      if (writes) throw refused(403, "Permission denied.", "DENIED");
      if (token === undefined) throw refused(401, "Unauthenticated request.", "UNAUTHORIZED", challenge);
      return;
    }
    const verb = writes ? "uploadArtifacts" : "downloadArtifacts";
    const [project = "", repository = ""] = name.split("/");
    const resource = `projects/${project}/locations/${host.replace("-docker.pkg.dev", "")}/repositories/${repository}`;
    const neededPermission = {
      permission: `artifactregistry.repositories.${verb}`,
      resource: `//artifactregistry.googleapis.com/${resource}`,
    };
    if (caller === undefined)
      throw refused(
        401,
        `Unauthenticated request. Unauthenticated requests do not have permission "${neededPermission.permission}" on resource "${resource}" (or it may not exist)`,
        "UNAUTHORIZED",
        challenge,
      );
    if (!this.#cloud.may(caller, neededPermission.permission, neededPermission.resource))
      throw refused(
        403,
        `Permission "${neededPermission.permission}" denied on resource "${resource}" (or it may not exist)`,
        "DENIED",
      );
    if (!this.repositories.has(resource)) throw refused(404, `Repository "${repository}" not found`, "NAME_UNKNOWN");
  }

  #begin({ exchange, place }: RegistryCall): Reply {
    const id = `upload-${this.requests.length}`;
    this.#uploads.add(`${place} ${id}`);
    exchange.request.resume();
    const location = `${exchange.path}${id}`;
    return new Reply(202, { location, range: "0-0", "docker-upload-uuid": id });
  }

  async #upload({ exchange, place, contents }: RegistryCall, id: string): Promise<Reply> {
    const { request, search } = exchange;
    if (request.method !== "PUT")
      throw refused(405, "Artifact Registry does not support chunked uploads.", "UNSUPPORTED");
    if (!this.#uploads.has(`${place} ${id}`)) throw refused(404, "The upload is unknown.", "BLOB_UPLOAD_UNKNOWN");
    const bytes = await bytesOf(request);
    const digest = search.get("digest") ?? "";
    if (digestOf(bytes) !== digest)
      throw refused(400, "Provided digest did not match uploaded content.", "DIGEST_INVALID");
    this.#uploads.delete(`${place} ${id}`);
    contents.blobs.set(digest, bytes);
    return new Reply(201, { "docker-content-digest": digest });
  }

  #blob({ contents }: RegistryCall, digest: string): Reply {
    const blob = contents.blobs.get(digest);
    if (!blob) throw refused(404, "Failed to fetch the blob.", "BLOB_UNKNOWN");
    return contentReply("application/octet-stream", blob, digest);
  }

  #manifest({ contents }: RegistryCall, reference: string): Reply {
    const digest = contents.tags.get(reference) ?? reference;
    const manifest = contents.manifests.get(digest);
    if (!manifest) throw refused(404, `Failed to fetch "${reference}"`, "MANIFEST_UNKNOWN");
    return contentReply(manifest.type, manifest.bytes, digest);
  }

  async #putManifest({ exchange, contents }: RegistryCall, reference: string): Promise<Reply> {
    const { request } = exchange;
    const bytes = await bytesOf(request);
    const { config, layers, mediaType } = JSON.parse(bytes.toString()) as ManifestJson;
    const missing = [config, ...layers].find(({ digest }) => !contents.blobs.has(digest));
    if (missing) throw refused(400, `Manifest references unknown blob: "${missing.digest}"`, "MANIFEST_BLOB_UNKNOWN");
    const wrong = [config, ...layers].find(({ digest, size }) => contents.blobs.get(digest)?.length !== size);
    if (wrong) throw refused(400, `The size of "${wrong.digest}" is another one`, "MANIFEST_INVALID");
    const type = request.headers["content-type"] ?? "";
    if (type !== mediaType) throw refused(400, `The media type is not "${type}"`, "MANIFEST_INVALID");
    const digest = digestOf(bytes);
    contents.manifests.set(digest, { type, bytes });
    if (!reference.startsWith("sha256:")) contents.tags.set(reference, digest);
    return new Reply(201, { "docker-content-digest": digest });
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

/** Returns a reply with content. Node sends only the headers for a HEAD request. */
function contentReply(type: string, bytes: Buffer, digest: string): Reply {
  const headers = { "content-type": type, "content-length": String(bytes.length), "docker-content-digest": digest };
  return new Reply(200, headers, bytes);
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  const [, scheme, value = ""] = /^(Bearer|Basic) (.+)$/i.exec(authorization ?? "") ?? [];
  // Some tools send a token as the password of the user with this name.
  if (scheme === "Basic")
    return Buffer.from(value, "base64")
      .toString()
      .replace(/^oauth2accesstoken:/, "");
  return scheme === undefined ? undefined : value;
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
