import { BaseObjects } from "../base-objects.ts";
import type { Clock } from "../contract.ts";
import type { ObjectGrant, SignedRequest } from "../objects.ts";
import { signedHeaders } from "../signed-headers.ts";
import { openText, sealText } from "../../lib/sealed-text.ts";

export interface SigningParts {
  readonly clock: Clock;
  readonly signingKey: () => Uint8Array;
}

/** Objects whose signed URLs point to the application itself. */
export abstract class SignedObjects<Parts extends SigningParts> extends BaseObjects {
  protected readonly parts: Parts;

  constructor(parts: Parts, buckets: readonly string[]) {
    super(buckets);
    this.parts = parts;
  }

  /** Allows more buckets until the returned function is called. Old code may still use its own buckets. */
  allow(buckets: readonly string[]): () => void {
    const added = new Set(buckets.filter((bucket) => !this.buckets.has(bucket)));
    this.buckets = new Set([...this.buckets, ...added]);
    return () => void (this.buckets = new Set([...this.buckets].filter((bucket) => !added.has(bucket))));
  }

  async sign(grant: ObjectGrant): Promise<SignedRequest> {
    this.check(grant.bucket, grant.key);
    return { url: signedURL(this.parts.signingKey(), grant), headers: signedHeaders(grant) };
  }

  async openGrant(token: string): Promise<ObjectGrant | undefined> {
    const grant = openGrant(this.parts.signingKey(), token);
    const isExpired = grant === undefined || grant.expires.getTime() <= this.parts.clock.now();
    return isExpired || !this.buckets.has(grant.bucket) ? undefined : grant;
  }
}

/** Returns the path of a signed URL, whose token contains the grant. */
function signedURL(key: Uint8Array, grant: ObjectGrant): string {
  const { method, bucket, key: object, expires, maxSize = null, contentType = null } = grant;
  const token = sealText(key, JSON.stringify([method, bucket, object, expires.getTime(), maxSize, contentType]));
  return `/_fw/api/signed/${token}`;
}

/** Returns the grant in a token that was signed with this key; undefined for any other string. */
function openGrant(key: Uint8Array, token: string): ObjectGrant | undefined {
  const text = openText(key, token);
  if (text === undefined) return undefined;
  const [method, bucket, object, expires, maxSize, contentType] = JSON.parse(text) as [
    ObjectGrant["method"],
    string,
    string,
    number,
    number | null,
    string | null,
  ];
  return {
    method,
    bucket,
    key: object,
    expires: new Date(expires),
    ...(maxSize !== null && { maxSize }),
    ...(contentType !== null && { contentType }),
  };
}
