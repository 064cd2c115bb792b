import { createHash, createHmac } from "node:crypto";

/** A request as received. */
export interface SignedRequest {
  readonly method: string;
  /** The path and query, as sent. */
  readonly target: string;
  /** Lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
}

/** A refusal of a request, with S3's code and message. */
export interface SignatureRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The maximum clock skew of a request, in milliseconds. */
const skewMs = 15 * 60_000;

/**
 * Returns the reason why AWS refuses a request's Signature Version 4; undefined if it is valid. Implements AWS's
 * description, independently of any client's code.
 */
export function signatureRefusal(request: SignedRequest, keys: S3Keys, now: number): SignatureRefusal | undefined {
  const { headers, body } = request;
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
  const parsed = pattern.exec(headers["authorization"] ?? "");
  if (parsed === null) return { status: 403, code: "AccessDenied", message: "Access Denied" };
  const [, keyId = "", date = "", region = "", signedNames = "", signature = ""] = parsed;
  if (keyId !== keys.accessKeyId)
    return {
      status: 403,
      code: "InvalidAccessKeyId",
      message: "The AWS Access Key Id you provided does not exist in our records.",
    };
  if (region !== keys.region)
    return {
      status: 400,
      code: "AuthorizationHeaderMalformed",
      message: `The authorization header is malformed; the region '${region}' is wrong; expecting '${keys.region}'`,
    };
  const time = timeOf(headers["x-amz-date"]);
  if (time === undefined || headers["x-amz-date"]?.slice(0, 8) !== date)
    return {
      status: 403,
      code: "AccessDenied",
      message: "AWS authentication requires a valid Date or x-amz-date header",
    };
  if (Math.abs(time - now) > skewMs)
    return {
      status: 403,
      code: "RequestTimeTooSkewed",
      message: "The difference between the request time and the current time is too large.",
    };
  if (headers["x-amz-security-token"] !== keys.sessionToken)
    return { status: 400, code: "InvalidToken", message: "The provided token is malformed or otherwise invalid." };
  const signed = signedNames.split(";");
  const unsigned = Object.keys(headers).filter((name) => name.startsWith("x-amz-") && !signed.includes(name));
  if (!signed.includes("host") || unsigned.length > 0 || signed.join(";") !== signed.toSorted().join(";"))
    return {
      status: 403,
      code: "AccessDenied",
      message: "There were headers present in the request which were not signed",
    };
  const payload = headers["x-amz-content-sha256"];
  if (payload === undefined)
    return {
      status: 400,
      code: "InvalidRequest",
      message: "Missing required header for this request: x-amz-content-sha256",
    };
  if (signature !== signatureOf(request, signed, { ...keys, date }))
    return {
      status: 403,
      code: "SignatureDoesNotMatch",
      message: "The request signature we calculated does not match the signature you provided.",
    };
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== createHash("sha256").update(body).digest("hex"))
    return {
      status: 400,
      code: "XAmzContentSHA256Mismatch",
      message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
    };
  return undefined;
}

/** Computes the signature that a request must have. */
export function signatureOf(
  { method, target, headers }: Omit<SignedRequest, "body">,
  signed: readonly string[],
  { secretAccessKey, region, date }: S3Keys & { readonly date: string },
): string {
  const [path = "/", query = ""] = target.split("?");
  const lines = signed.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}\n`).join("");
  const canonical = [
    method,
    path
      .split("/")
      .map((segment) => encoded(decodeURIComponent(segment)))
      .join("/"),
    canonicalQuery(query),
    lines,
    signed.join(";"),
    headers["x-amz-content-sha256"],
  ].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const hash = createHash("sha256").update(canonical).digest("hex");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash].join("\n");
  const key = ["s3", "aws4_request"].reduce(hmac, hmac(hmac(`AWS4${secretAccessKey}`, date), region));
  return hmac(key, toSign).toString("hex");
}

function canonicalQuery(query: string): string {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => pair.split("=").map((part) => encoded(decodeURIComponent(part.replaceAll("+", " ")))))
    .map(([name = "", value = ""]) => `${name}=${value}`)
    .toSorted()
    .join("&");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function encoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}

function timeOf(text: string | undefined): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? "");
  if (parts === null) return undefined;
  const [, year, month, day, hours, minutes, seconds] = parts.map(Number) as [number, ...number[]];
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hours, minutes, seconds);
}
