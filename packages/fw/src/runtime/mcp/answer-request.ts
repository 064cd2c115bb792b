import { isObject } from "../../lib/record-in.ts";
import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { MountDeclaration } from "../../declare/mount.ts";
import { isAllowed } from "../access/origins.ts";
import { packageOf, type Application } from "../application.ts";
import { isUTF8, mediaType } from "../body/body.ts";
import { parseJSON } from "../body/json.ts";
import type { BundledEndpoint, BundledMcpServer } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { refusalOf } from "../response/refusal.ts";
import {
  errorCodes,
  errorResponse,
  messageIn,
  ProtocolError,
  resultResponse,
  type Message,
  legacyVersions,
  supportedVersions,
  type Members,
  modernVersion,
} from "./protocol.ts";
import { sendsJSON } from "./texts.ts";
import { callTool } from "./call-tool.ts";

/** Responds to a request over the Streamable HTTP transport, with one JSON response per request and no sessions. */
export async function answerRequest(
  app: Application,
  ctx: Context,
  declaration: MountDeclaration,
  request: Request,
): Promise<Response> {
  const server = app.bundle.mcpServers?.find((each) => each.declaration === declaration);
  const endpoint = app.endpoints.get(declaration);
  if (server === undefined || endpoint === undefined) throw new Fault(`${declaration.route} has no wiring`);
  return refuseRequest(app, endpoint, request) ?? answerBody({ app, ctx, server }, request);
}

/** Returns the refusal of a request that cannot be a client's message; undefined for others. Reads no body. */
function refuseRequest(app: Application, endpoint: BundledEndpoint, request: Request): Response | undefined {
  const { method, headers, url } = request;
  if (new URL(url).pathname !== endpoint.route.slice(endpoint.route.indexOf("/")))
    return refuse(404, messages.notFound);
  if (!isOwnOrigin(app, endpoint, request)) return refuse(403, messages.crossSite);
  if (method !== "POST") return refuse(405, messages.methodNotAllowed, { Allow: "POST" });
  const type = headers.get("content-type") ?? "";
  if (mediaType(type) !== "application/json" || !isUTF8(type)) return refuse(415, messages.wantsJSON);
  const accept = headers.get("accept");
  return accept === null || /application\/(?:json|\*)|\*\/\*/i.test(accept) ? undefined : refuse(406, sendsJSON);
}

/**
 * True if the request has no Origin header, or comes from a page of the same host or of an origin that the Service
 * lists.
 */
function isOwnOrigin(app: Application, endpoint: BundledEndpoint, { headers, url }: Request): boolean {
  const origin = headers.get("origin");
  if (origin === null) return true;
  const origins = packageOf(app, endpoint)?.origins;
  if (origins && isAllowed(origins, origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(url).host;
}

function refuse(status: number, error: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers });
}

async function answerBody(context: MessageContext, request: Request): Promise<Response> {
  let message: Message | undefined;
  try {
    message = messageIn(parseBody(Buffer.from(await request.arrayBuffer())));
    const result = await answerMessage(context, message, request.headers);
    return result === undefined ? new Response(null, { status: 202 }) : resultResponse(message.id, result);
  } catch (error) {
    if (error instanceof ProtocolError) return errorResponse(message?.id, error);
    throw error;
  }
}

function parseBody(bytes: Buffer): unknown {
  try {
    return parseJSON(bytes, true);
  } catch (error) {
    throw new ProtocolError(400, errorCodes.parseError, refusalOf(error)?.message ?? messages.invalidJSON);
  }
}

/** Limit: milliseconds that clients may cache the list of tools. */
const listMs = 60_000;

interface MessageContext {
  readonly app: Application;
  readonly ctx: Context;
  readonly server: BundledMcpServer;
}

/** Returns the result for one message; undefined for a notification. Throws a ProtocolError, or the 401 of a tool. */
async function answerMessage(context: MessageContext, message: Message, headers: Headers): Promise<object | undefined> {
  const revision = revisionOf(message, headers);
  if (message.id === undefined) return undefined;
  if (revision === "legacy") return legacyAnswer(context, message);
  return modernResult(await modernAnswer(context, message), context.server.info);
}

async function legacyAnswer(context: MessageContext, { method, params }: Message): Promise<object> {
  switch (method) {
    case "initialize": {
      const protocolVersion = legacyVersions.find((version) => version === params["protocolVersion"]);
      const { info: serverInfo } = context.server;
      return { protocolVersion: protocolVersion ?? legacyVersions[0], serverInfo, ...aboutServer(context) };
    }
    case "ping":
      return {};
    case "tools/list":
      return listTools(context, params);
    case "tools/call":
      return callNamed(context, params);
    default:
      throw unknownMethod(200, method);
  }
}

async function modernAnswer(context: MessageContext, { method, params }: Message): Promise<object> {
  switch (method) {
    case "server/discover":
      return { supportedVersions, ...aboutServer(context), ...caching(context) };
    case "tools/list":
      return { ...listTools(context, params), ...caching(context) };
    case "tools/call":
      return callNamed(context, params);
    default:
      throw unknownMethod(404, method);
  }
}

function unknownMethod(status: number, method: string): ProtocolError {
  return new ProtocolError(status, errorCodes.methodNotFound, `there is no method ${JSON.stringify(method)}`);
}

function aboutServer({ server: { instructions } }: MessageContext): object {
  return { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) };
}

/** Returns caching hints. All users see the same tools, but behind a gate, shared caches must not store them. */
function caching({ app, server }: MessageContext): object {
  const isGated = app.endpoints.get(server.declaration)?.signIn === true;
  return { ttlMs: listMs, cacheScope: isGated ? "private" : "public" };
}

function listTools({ server }: MessageContext, { cursor }: Members): object {
  if (cursor !== undefined) throw invalidParams("unknown cursor: the list of tools has one page");
  return { tools: server.tools.map(({ definition }) => definition) };
}

async function callNamed({ app, ctx, server }: MessageContext, params: Members): Promise<object> {
  const { name, arguments: values = {} } = params;
  if (typeof name !== "string") throw invalidParams("name must be a string");
  if (!isObject(values)) throw invalidParams("arguments must be an object");
  const tool = server.tools.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw invalidParams(`Unknown tool: ${name}`);
  return callTool(app, ctx, tool, values);
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(200, errorCodes.invalidParams, message);
}

/** The two variants of the protocol: each request has metadata, or an `initialize` request comes first. */
type Revision = "modern" | "legacy";

const metadata = "io.modelcontextprotocol/";

/**
 * Returns the revision of a request. Checks a modern request against its headers, which proxies may have relied on.
 * Throws a ProtocolError.
 */
function revisionOf({ method, params, id }: Message, headers: Headers): Revision {
  const header = headers.get("mcp-protocol-version") ?? undefined;
  const { _meta: meta } = params;
  const version = isObject(meta) ? meta[`${metadata}protocolVersion`] : undefined;
  if (version === undefined && header !== modernVersion) {
    if (header !== undefined && !legacyVersions.includes(header)) throw unsupported(header);
    return "legacy";
  }
  // Notifications have no metadata in any revision.
  if (id === undefined) return "modern";
  if (typeof version !== "string" || !isObject(meta)) throw missing("protocolVersion");
  if (header !== version) throw mismatch("MCP-Protocol-Version", header, version);
  if (!supportedVersions.includes(version)) throw unsupported(version);
  if (version !== modernVersion) return "legacy";
  if (!isObject(meta[`${metadata}clientCapabilities`])) throw missing("clientCapabilities");
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

/** Decodes a value that a header cannot contain literally: `=?base64?…?=`. */
function decodeHeader(value: string): string {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value) ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString();
}

/** Adds the members that every modern result has. */
function modernResult(result: object, info: object): object {
  return { resultType: "complete", ...result, _meta: { [`${metadata}serverInfo`]: info } };
}
