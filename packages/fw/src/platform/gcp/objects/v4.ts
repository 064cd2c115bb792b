import { createHash } from "node:crypto";
import { percentEncoded } from "../../../lib/percent.ts";

export interface SignedURLParams {
  readonly method: "GET" | "PUT";
  /** The object store's public address. Its path is a prefix that is not signed. */
  readonly origin: URL;
  /** `/bucket/key`, not encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The email of the signing service account. */
  readonly signer: string;
  readonly from: Date;
  readonly seconds: number;
}

export interface UnsignedURL {
  /** The string to sign with the service account's key, using RSA and SHA-256. */
  readonly toSign: string;
  readonly withSignature: (signature: Uint8Array) => string;
}

const algorithm = "GOOG4-RSA-SHA256";

export function unsignedURL({ method, origin, path, headers, signer, from, seconds }: SignedURLParams): UnsignedURL {
  const instant = from.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${instant.slice(0, 8)}/auto/storage/goog4_request`;
  const all = { ...headers, host: origin.hostname };
  const request = canonicalRequest({
    method,
    path,
    headers: all,
    query: {
      "X-Goog-Algorithm": algorithm,
      "X-Goog-Credential": `${signer}/${scope}`,
      "X-Goog-Date": instant,
      "X-Goog-Expires": String(seconds),
      "X-Goog-SignedHeaders": headerLines(all)
        .map(([name]) => name)
        .join(";"),
    },
  });
  const hash = createHash("sha256").update(request.text).digest("hex");
  return {
    toSign: [algorithm, instant, scope, hash].join("\n"),
    withSignature: (signature) =>
      `${origin.origin}${origin.pathname.replace(/\/$/, "")}${request.path}?${request.query}&X-Goog-Signature=${Buffer.from(signature).toString("hex")}`,
  };
}

interface RequestToSign {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a request's canonical form, with its path and query as in the URL. */
export function canonicalRequest(request: RequestToSign): {
  readonly text: string;
  readonly path: string;
  readonly query: string;
} {
  const path = request.path.split("/").map(percentEncode).join("/");
  const query = Object.entries(request.query)
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
    .toSorted()
    .join("&");
  const headers = headerLines(request.headers);
  const names = headers.map(([name]) => name).join(";");
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join("");
  return { text: [request.method, path, query, lines, names, "UNSIGNED-PAYLOAD"].join("\n"), path, query };
}

function headerLines(headers: Readonly<Record<string, string>>): readonly (readonly [name: string, value: string])[] {
  return Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, " ")] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
function percentEncode(text: string): string {
  return percentEncoded(text, /[!'()*]/g);
}
