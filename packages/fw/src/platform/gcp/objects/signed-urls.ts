import { signedHeaders } from "../../signed-headers.ts";
import type { Clock } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import type { ObjectGrant, SignedRequest } from "../../objects.ts";
import { isContentTypeWildcard } from "../../../lib/content-type.ts";
import { longestSignedMs } from "../../../lib/limits.ts";
import type { Cloud } from "../cloud.ts";
import type { CloudClient } from "../rest/client.ts";
import type { Methods } from "../rest/generated/iamcredentials.ts";
import type { WithFields } from "../rest/with-fields.ts";
import type { CloudIdentity } from "../rest/identity.ts";
import { unsignedURL } from "./v4.ts";

/** The number of signed URLs to cache. A cached URL serves repeated requests with one signature. */
const cachedURLs = 1_000;

/** A URL's extra lifetime as a fraction of the requested lifetime, so that a cached URL can be reused. */
const longerShare = 0.1;

/** The maximum extra lifetime in milliseconds. */
const longestLonger = 300_000;

interface SignerParts {
  readonly client: CloudClient;
  readonly identity: Pick<CloudIdentity, "email">;
  readonly clock: Clock;
  readonly origin: URL;
}

interface SignedURL {
  readonly url: Promise<string>;
  /** Milliseconds since 1970. */
  readonly ends: number;
}

export function signedURLsOf({ client, identity, clock, endpointOf }: Cloud): SignedURLs {
  return new SignedURLs({ client, identity, clock, origin: endpointOf("storage").url });
}

/** Signs URLs with the service account's key, which never leaves Google. */
export class SignedURLs {
  readonly #parts: SignerParts;
  readonly #kept = new Map<string, SignedURL>();

  constructor(parts: SignerParts) {
    this.#parts = parts;
  }

  /** Signs a request for an object. `bucket` is the bucket's name on Google Cloud. */
  async sign(bucket: string, grant: ObjectGrant): Promise<SignedRequest> {
    checkSignable(grant);
    const headers = signedHeaders(grant);
    const name = JSON.stringify([grant.method, bucket, grant.key, headers]);
    const requestedEnd = grant.expires.getTime();
    const extension = Math.min((requestedEnd - this.#parts.clock.now()) * longerShare, longestLonger);
    const cached = this.#kept.get(name);
    if (cached !== undefined && cached.ends >= requestedEnd && cached.ends <= requestedEnd + extension + 1_000)
      return { url: await cached.url, headers };
    const signed = this.#sign(bucket, grant, headers, requestedEnd + extension);
    this.#keep(name, signed);
    return { url: await signed.url, headers };
  }

  #sign(bucket: string, { method, key }: ObjectGrant, headers: SignedRequest["headers"], until: number): SignedURL {
    const { clock, client, identity, origin } = this.#parts;
    const from = Math.floor(clock.now() / 1000);
    const seconds = Math.max(1, Math.min(Math.ceil(until / 1000) - from, longestSignedMs / 1000));
    const make = async (): Promise<string> => {
      const signer = await identity.email();
      const path = `/${bucket}/${key}`;
      const unsigned = unsignedURL({ method, origin, path, headers, signer, from: new Date(from * 1000), seconds });
      const { signedBlob } = await client.call<WithFields<Methods["signBlob"]["answer"], "signedBlob">>({
        api: "iamcredentials",
        method: "POST",
        path: `/v1/projects/-/serviceAccounts/${encodeURIComponent(signer)}:signBlob`,
        body: { payload: Buffer.from(unsigned.toSign).toString("base64") } satisfies Methods["signBlob"]["request"],
        repeatable: true,
      });
      return unsigned.withSignature(Buffer.from(signedBlob, "base64"));
    };
    return { url: make(), ends: (from + seconds) * 1000 };
  }

  /** Caches a URL. If the cache is full, evicts the least recently cached one. Failed signatures are not cached. */
  #keep(name: string, signed: SignedURL): void {
    this.#kept.delete(name);
    this.#kept.set(name, signed);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > cachedURLs && oldest !== undefined) this.#kept.delete(oldest);
    signed.url.catch(() => {
      if (this.#kept.get(name) === signed) this.#kept.delete(name);
    });
  }
}

/** Fails if the object store could not enforce the grant or no client could use the URL. */
function checkSignable({ key, contentType }: ObjectGrant): void {
  if (contentType !== undefined && isContentTypeWildcard(contentType))
    throw new PlatformError(
      "content-type",
      `the cloud's object store cannot restrict an upload to "${contentType}", only to one exact type; sign for the type that the client sends, such as "${contentType.replace("*", "png")}"`,
    );
  if (key.split("/").some((segment) => segment === "." || segment === ".."))
    throw new PlatformError("key", `a URL cannot contain a key with "." or ".." as a segment: ${JSON.stringify(key)}`);
}
