import { signedHeaders } from "../../signed-headers.ts";
import type { Clock } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import type { Grant, SignedRequest } from "../../objects.ts";
import { isContentTypeWildcard } from "../../../lib/content-type.ts";
import { longestSignedMs } from "../../../lib/limits.ts";
import type { Cloud } from "../cloud.ts";
import type { CloudClient } from "../rest/client.ts";
import type { Methods } from "../rest/generated/iamcredentials.ts";
import type { Given } from "../rest/given.ts";
import type { CloudIdentity } from "../rest/identity.ts";
import { unsignedURL } from "./v4.ts";

/** Signed URLs that are kept, so that what is asked for again and again is signed once. */
const keptURLs = 1_000;

/** A URL is good for up to this share of its lifetime longer than was asked, so that it can be handed out again… */
const longerShare = 0.1;

/** …and for so many milliseconds longer, at most. */
const longestLonger = 300_000;

interface SignerParts {
  readonly client: CloudClient;
  readonly identity: Pick<CloudIdentity, "email">;
  readonly clock: Clock;
  /** Where the object store is for browsers. */
  readonly origin: URL;
}

interface SignedURL {
  readonly url: Promise<string>;
  /** Milliseconds since 1970. */
  readonly ends: number;
}

/** The signed URLs of a cloud's object store. */
export function signedURLsOf({ client, identity, clock, endpointOf }: Cloud): SignedURLs {
  return new SignedURLs({ client, identity, clock, origin: endpointOf("storage").url });
}

/** Signs URLs with the key that Google keeps for the service account: no process has it. */
export class SignedURLs {
  readonly #parts: SignerParts;
  readonly #kept = new Map<string, SignedURL>();

  constructor(parts: SignerParts) {
    this.#parts = parts;
  }

  /** A request of an object of a bucket, by the bucket's name in the cloud. */
  async sign(bucket: string, grant: Grant): Promise<SignedRequest> {
    checkSignable(grant);
    const headers = signedHeaders(grant);
    const name = JSON.stringify([grant.method, bucket, grant.key, headers]);
    const asked = grant.expires.getTime();
    const longer = Math.min((asked - this.#parts.clock.now()) * longerShare, longestLonger);
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.ends >= asked && kept.ends <= asked + longer + 1_000)
      return { url: await kept.url, headers };
    const signed = this.#sign(bucket, grant, headers, asked + longer);
    this.#keep(name, signed);
    return { url: await signed.url, headers };
  }

  #sign(bucket: string, { method, key }: Grant, headers: SignedRequest["headers"], until: number): SignedURL {
    const { clock, client, identity, origin } = this.#parts;
    const from = Math.floor(clock.now() / 1000);
    const seconds = Math.max(1, Math.min(Math.ceil(until / 1000) - from, longestSignedMs / 1000));
    const make = async (): Promise<string> => {
      const signer = await identity.email();
      const path = `/${bucket}/${key}`;
      const unsigned = unsignedURL({ method, origin, path, headers, signer, from: new Date(from * 1000), seconds });
      const { signedBlob } = await client.call<Given<Methods["signBlob"]["answer"], "signedBlob">>({
        api: "iamcredentials",
        method: "POST",
        path: `/v1/projects/-/serviceAccounts/${encodeURIComponent(signer)}:signBlob`,
        body: { payload: Buffer.from(unsigned.toSign).toString("base64") } satisfies Methods["signBlob"]["request"],
        repeatable: true,
      });
      return unsigned.signed(Buffer.from(signedBlob, "base64"));
    };
    return { url: make(), ends: (from + seconds) * 1000 };
  }

  /** The one that was signed last is forgotten last; one that could not be signed is not kept. */
  #keep(name: string, signed: SignedURL): void {
    this.#kept.delete(name);
    this.#kept.set(name, signed);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptURLs && oldest !== undefined) this.#kept.delete(oldest);
    signed.url.catch(() => {
      if (this.#kept.get(name) === signed) this.#kept.delete(name);
    });
  }
}

/** Fails where the object store could not hold whoever uses the URL to what is allowed, or nobody could use it. */
function checkSignable({ key, contentType }: Grant): void {
  if (contentType !== undefined && isContentTypeWildcard(contentType))
    throw new PlatformError(
      "content-type",
      `an upload to the cloud's object store cannot be held to "${contentType}": it takes one type, so sign for the type that will be sent, such as "${contentType.replace("*", "png")}"`,
    );
  if (key.split("/").some((segment) => segment === "." || segment === ".."))
    throw new PlatformError("key", `no URL can lead to a key with "." or ".." between slashes: ${JSON.stringify(key)}`);
}
