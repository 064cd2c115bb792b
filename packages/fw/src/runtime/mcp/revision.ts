import {
  errorCodes,
  isMembers,
  legacyVersions,
  modernVersion,
  ProtocolError,
  supportedVersions,
  type Message,
} from "./protocol.ts";

/** The two shapes of the protocol: with the metadata of each request, or with an `initialize` request before. */
export type Revision = "modern" | "legacy";

const metadata = "io.modelcontextprotocol/";

/**
 * Returns the revision of a request, and holds a modern one to its headers, which proxies may have read. Throws a
 * ProtocolError.
 */
export function revisionOf({ method, params, id }: Message, headers: Headers): Revision {
  const header = headers.get("mcp-protocol-version") ?? undefined;
  const { _meta: meta } = params;
  const version = isMembers(meta) ? meta[`${metadata}protocolVersion`] : undefined;
  if (version === undefined && header !== modernVersion) {
    if (header !== undefined && !legacyVersions.includes(header)) throw unsupported(header);
    return "legacy";
  }
  // No revision defines notifications with metadata.
  if (id === undefined) return "modern";
  if (typeof version !== "string" || !isMembers(meta)) throw missing("protocolVersion");
  if (header !== version) throw mismatch("MCP-Protocol-Version", header, version);
  if (!supportedVersions.includes(version)) throw unsupported(version);
  if (version !== modernVersion) return "legacy";
  if (!isMembers(meta[`${metadata}clientCapabilities`])) throw missing("clientCapabilities");
  requireHeader(headers, "Mcp-Method", method);
  if (method === "tools/call") requireHeader(headers, "Mcp-Name", params["name"]);
  return "modern";
}

function missing(name: string): ProtocolError {
  return new ProtocolError(400, errorCodes.invalidParams, `_meta has no ${metadata}${name}`);
}

function unsupported(requested: string): ProtocolError {
  const data = { supported: supportedVersions, requested };
  return new ProtocolError(400, errorCodes.unsupportedVersion, "unsupported protocol version", data);
}

function requireHeader(headers: Headers, name: string, expected: unknown): void {
  const value = headers.get(name) ?? undefined;
  if (value === undefined || decodeHeader(value) !== expected) throw mismatch(name, value, expected);
}

function mismatch(name: string, value: string | undefined, expected: unknown): ProtocolError {
  const actual = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
  const message = `header mismatch: ${name} ${actual}, and the body has ${JSON.stringify(expected) ?? "none"}`;
  return new ProtocolError(400, errorCodes.headerMismatch, message);
}

/** Decodes a value that a header could not hold as it is: `=?base64?…?=`. */
function decodeHeader(value: string): string {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value) ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString();
}

/** The members that modern results have besides their own. */
export function modernResult(result: object, info: object): object {
  return { resultType: "complete", ...result, _meta: { [`${metadata}serverInfo`]: info } };
}
