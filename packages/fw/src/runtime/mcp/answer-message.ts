import type { Context } from "../../declare/context.ts";
import type { Application } from "../application.ts";
import type { BundledMcpServer } from "../bundle.ts";
import { callTool } from "./call-tool.ts";
import {
  errorCodes,
  isMembers,
  legacyVersions,
  ProtocolError,
  supportedVersions,
  type Members,
  type Message,
} from "./protocol.ts";
import { modernResult, revisionOf } from "./revision.ts";

/** Limit: milliseconds for which clients may keep the list of tools. */
const listMs = 60_000;

/** The application and the request that a message belongs to. */
export interface MessageContext {
  readonly app: Application;
  readonly ctx: Context;
  readonly server: BundledMcpServer;
}

/** Answers one message; undefined for a notification. Throws a ProtocolError, or the 401 of a tool. */
export async function answerMessage(
  context: MessageContext,
  message: Message,
  headers: Headers,
): Promise<object | undefined> {
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

/** All users see the same tools; behind a gate, shared caches must not keep them. */
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
  if (!isMembers(values)) throw invalidParams("arguments must be an object");
  const tool = server.tools.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw invalidParams(`Unknown tool: ${name}`);
  return callTool(app, ctx, tool, values);
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(200, errorCodes.invalidParams, message);
}
