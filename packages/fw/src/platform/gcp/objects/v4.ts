import { createHash } from "node:crypto";

/** What a V4 signed URL of the object store allows. */
export interface Allowed {
  readonly method: "GET" | "PUT";
  /** Where the object store is for whoever uses the URL. What it has as a path is before the path that is signed. */
  readonly origin: URL;
  /** The bucket and the key, not encoded: `/bucket/key`. */
  readonly path: string;
  /** The headers that the request must carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address of the service account that signs. */
  readonly signer: string;
  readonly from: Date;
  readonly seconds: number;
}

/** A URL before it is signed. */
export interface UnsignedURL {
  /** What the service account's key signs, with RSA and SHA-256. */
  readonly toSign: string;
  readonly signed: (signature: Uint8Array) => string;
}

const algorithm = "GOOG4-RSA-SHA256";

/** The URL for what is allowed, and what of it is to be signed. */
export function unsignedURL({ method, origin, path, headers, signer, from, seconds }: Allowed): UnsignedURL {
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
    signed: (signature) =>
      `${origin.origin}${origin.pathname.replace(/\/$/, "")}${request.path}?${request.query}&X-Goog-Signature=${Buffer.from(signature).toString("hex")}`,
  };
}

interface RequestToSign {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request in the one spelling that both ends make of it, with its path and query as they are in the URL. */
export function canonicalRequest(request: RequestToSign): {
  readonly text: string;
  readonly path: string;
  readonly query: string;
} {
  const path = request.path.split("/").map(encoded).join("/");
  const query = Object.entries(request.query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
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

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
