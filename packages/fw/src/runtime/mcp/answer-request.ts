import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { MountDeclaration } from "../../declare/mount.ts";
import { isAllowed } from "../access/origins.ts";
import { packageOf, type Application } from "../application.ts";
import { isUTF8, mediaType } from "../body/body.ts";
import { parseJSON } from "../body/json.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { refusalOf } from "../response/refusal.ts";
import { answerMessage, type MessageContext } from "./answer-message.ts";
import { errorCodes, errorResponse, messageIn, ProtocolError, resultResponse, type Message } from "./protocol.ts";
import { sendsJSON } from "./texts.ts";

/** Answers a request by the Streamable HTTP transport: one JSON response for each request, and no sessions. */
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

/** Refuses a request that cannot be a message of a client, before its body is read. */
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
 * True if the request has no Origin header, or comes from a page of the same origin or of an origin that the Service
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
