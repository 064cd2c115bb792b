import { createHash, randomBytes } from "node:crypto";

/** An object, or a part of one. */
export interface StoredBytes {
  readonly bytes: Buffer;
  /** With quotes, as S3 sends it. */
  readonly etag: string;
  readonly contentType: string;
}

/** A part in a client's request to complete an upload. */
export interface NamedPart {
  readonly number: number;
  readonly etag: string;
}

interface Upload {
  readonly key: string;
  readonly contentType: string;
  readonly parts: Map<number, StoredBytes>;
}

export class S3Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const smallestPart = 5 * 1024 * 1024;

/** The objects and unfinished uploads of a bucket. */
export class S3Bucket {
  readonly objects: Map<string, StoredBytes> = new Map();
  readonly uploads: Map<string, Upload> = new Map();

  put(key: string, bytes: Buffer, contentType: string): StoredBytes {
    const stored = storedBytes(bytes, contentType);
    this.objects.set(key, stored);
    return stored;
  }

  get(key: string): StoredBytes {
    const stored = this.objects.get(key);
    if (stored === undefined) throw new S3Refusal(404, "NoSuchKey", "The specified key does not exist.");
    return stored;
  }

  begin(key: string, contentType: string): string {
    const uploadId = randomBytes(24).toString("base64url");
    this.uploads.set(uploadId, { key, contentType, parts: new Map() });
    return uploadId;
  }

  putPart(key: string, uploadId: string, number: number, bytes: Buffer): StoredBytes {
    if (!Number.isInteger(number) || number < 1 || number > 10_000)
      throw new S3Refusal(400, "InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive");
    const part = storedBytes(bytes, "");
    this.#upload(key, uploadId).parts.set(number, part);
    return part;
  }

  /**
   * Joins the parts into an object. They must be in order and have the ETags in `list`. All except the last must have
   * the same size, at least 5 MiB; the last may be smaller.
   */
  complete(key: string, uploadId: string, list: readonly NamedPart[]): StoredBytes {
    const { parts, contentType } = this.#upload(key, uploadId);
    if (list.length === 0) throw new S3Refusal(400, "MalformedXML", "The XML you provided was not well-formed");
    const inOrder = list.map(({ number, etag }, index) => {
      if (number <= (list[index - 1]?.number ?? 0))
        throw new S3Refusal(400, "InvalidPartOrder", "The list of parts was not in ascending order.");
      const part = parts.get(number);
      if (part === undefined || part.etag !== etag)
        throw new S3Refusal(400, "InvalidPart", "One or more of the specified parts could not be found.");
      return part;
    });
    const before = inOrder.slice(0, -1).map(({ bytes }) => bytes.byteLength);
    if (before.some((size) => size < smallestPart))
      throw new S3Refusal(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
    // R2 requires equal sizes.
    if (new Set(before).size > 1 || Number(inOrder.at(-1)?.bytes.byteLength) > (before[0] ?? Infinity))
      throw new S3Refusal(400, "InvalidPart", "All non-trailing parts must have the same length.");
    const hashes = Buffer.concat(inOrder.map(({ etag }) => Buffer.from(etag.slice(1, -1), "hex")));
    const etag = `"${md5(hashes)}-${inOrder.length}"`;
    const object = { bytes: Buffer.concat(inOrder.map(({ bytes }) => bytes)), etag, contentType };
    this.uploads.delete(uploadId);
    this.objects.set(key, object);
    return object;
  }

  abort(key: string, uploadId: string): void {
    this.#upload(key, uploadId);
    this.uploads.delete(uploadId);
  }

  #upload(key: string, uploadId: string): Upload {
    const upload = this.uploads.get(uploadId);
    if (upload?.key === key) return upload;
    throw new S3Refusal(
      404,
      "NoSuchUpload",
      "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
    );
  }
}

function storedBytes(bytes: Buffer, contentType: string): StoredBytes {
  return { bytes, etag: `"${md5(bytes)}"`, contentType };
}

function md5(bytes: Buffer): string {
  return createHash("md5").update(bytes).digest("hex");
}
