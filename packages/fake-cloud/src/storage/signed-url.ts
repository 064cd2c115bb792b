import { createHash, verify, type KeyObject } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The signed parts of a request. */
export interface SignedRequest {
  readonly method: string;
  /** Percent-encoded, as received. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly now: number;
}

/** The signer of a request, or the reason for the refusal. */
export type Verdict = { readonly signer: string } | { readonly refused: XmlError };

/** An error of the XML API. */
export interface XmlError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** The maximum lifetime of a signed URL: seven days. */
const longest = 604_800;

/** Verifies the V4 signature (GOOG4-RSA-SHA256) in a request's query with the keys of its account. */
export async function verifySignedUrl(
  request: SignedRequest,
  keysOf: (email: string) => Promise<readonly KeyObject[]>,
): Promise<Verdict> {
  const { search, headers, now } = request;
  const [algorithm, credential, date, expires, signature] = [
    "Algorithm",
    "Credential",
    "Date",
    "Expires",
    "Signature",
  ].map((name) => parameter(search, `X-Goog-${name}`) ?? "") as [string, string, string, string, string];
  const signedHeaders = (parameter(search, "X-Goog-SignedHeaders") ?? "").split(";");
  const [email, ...scope] = credential.split("/");
  if (
    algorithm !== "GOOG4-RSA-SHA256" ||
    !email ||
    scope.length !== 4 ||
    scope[2] !== "storage" ||
    scope[3] !== "goog4_request"
  ) {
    return refuse(400, "InvalidArgument", "Invalid argument.", {
      Details: "The query parameters of the signature are not those of a V4 signature.",
    });
  }
  const begins = timeOf(date);
  if (begins === undefined || scope[0] !== date.slice(0, 8)) {
    return refuse(400, "InvalidArgument", "Invalid argument.", { Details: `Invalid date: ${date}` });
  }
  const seconds = Number(expires);
  if (!/^\d+$/.test(expires) || seconds < 1 || seconds > longest) {
    return refuse(400, "InvalidArgument", "Invalid argument.", {
      Details: "X-Goog-Expires must be between 1 and 604800.",
    });
  }
  const missing = signedHeaders.find((name) => headers[name] === undefined);
  if (missing !== undefined || !signedHeaders.includes("host")) {
    return refuse(400, "MalformedSecurityHeader", "Your request has a malformed header.", {
      ParameterName: missing ?? "host",
      Details: "Header was included in signedheaders, but not in the request.",
    });
  }
  const unsigned = Object.keys(headers).find((name) => name.startsWith("x-goog-") && !signedHeaders.includes(name));
  if (unsigned !== undefined) {
    return refuse(400, "MalformedSecurityHeader", "Your request has a malformed header.", {
      ParameterName: unsigned,
      Details: "Header was included in the request, but not in signedheaders.",
    });
  }
  const keys = await keysOf(email);
  const host = headers.host ?? "";
  // Google signs the host without the scheme's default port.
  const texts = [...new Set([host, host.replace(/:\d+$/, "")])].map((name) => {
    const canonical = canonicalRequest(request, signedHeaders, name);
    return { canonical, toSign: [algorithm, date, scope.join("/"), sha256(canonical)].join("\n") };
  });
  const bytes = Buffer.from(/^(?:[0-9a-f]{2})+$/i.test(signature) ? signature : "", "hex");
  const isSigned = texts.some(({ toSign }) =>
    keys.some((key) => verify("RSA-SHA256", Buffer.from(toSign), key, bytes)),
  );
  if (!isSigned) {
    return refuse(403, "SignatureDoesNotMatch", "Access denied.", {
      Details:
        "The request signature we calculated does not match the signature you provided. Check your Google secret key and signing method.",
      StringToSign: texts[0]?.toSign ?? "",
      CanonicalRequest: texts[0]?.canonical ?? "",
    });
  }
  if (now >= begins + seconds * 1000) {
    const at = new Date(begins + seconds * 1000).toISOString().replace(".000Z", "+00:00");
    return refuse(400, "ExpiredToken", "Invalid argument.", {
      Details: `The provided token has expired. Request signature expired at: ${at}`,
    });
  }
  // Clocks may differ by a quarter of an hour.
  if (begins > now + 900_000)
    return refuse(403, "AccessDenied", "Access denied.", { Details: "Request is not yet valid." });
  return { signer: email };
}

/** Returns the canonical request: everything that the signature covers. */
export function canonicalRequest(
  { method, path, search, headers }: Omit<SignedRequest, "now">,
  signedHeaders: readonly string[],
  host: string,
): string {
  const query = [...search]
    .filter(([name]) => name.toLowerCase() !== "x-goog-signature")
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted(byCode);
  const lines = signedHeaders.toSorted(byCode).map((name) => {
    const value = name === "host" ? host : String(headers[name] ?? "");
    return `${name}:${value.trim().replaceAll(/\s+/g, " ")}\n`;
  });
  const hash = headers["x-goog-content-sha256"];
  const payload = signedHeaders.includes("x-goog-content-sha256") ? String(hash) : "UNSIGNED-PAYLOAD";
  return [method, path, query.join("&"), lines.join(""), signedHeaders.join(";"), payload].join("\n");
}

function parameter(search: URLSearchParams, name: string): string | undefined {
  for (const [key, value] of search) if (key.toLowerCase() === name.toLowerCase()) return value;
  return undefined;
}

function refuse(status: number, code: string, message: string, more?: Record<string, string>): Verdict {
  return { refused: { status, code, message, ...(more && { more }) } };
}

function timeOf(date: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date)?.slice(1);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
