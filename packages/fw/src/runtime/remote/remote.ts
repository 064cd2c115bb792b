import type { OutgoingHttpHeaders, IncomingMessage } from "node:http";
import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { isReply, reply } from "../../declare/reply.ts";
import { isA } from "../../lib/thrown.ts";
import type { Application } from "../application.ts";
import { isBlob } from "../blob/send-blob.ts";
import type { BundledRemote, RemoteRequest, CallCodec } from "../bundle.ts";
import { beginSpan, isFailure } from "../observe/span.ts";
import { readsHTMX, htmxHeaders } from "../page/htmx.ts";
import { originOf, type Origin } from "../calls/origin.ts";
import { bodyOf, type RemoteBody } from "./body.ts";
import { CallBounds } from "./bounds.ts";
import { Unanswered } from "./exchange.ts";
import { describeCall, requirePath } from "./name.ts";
import { answerTo } from "./retry.ts";
import { remoteMs, remoteBytes } from "../../lib/limits.ts";
import { callerHeader, credentialsHeader } from "../access/service-call.ts";
import { calledFieldsHeader } from "../body/fields.ts";
import { traceparent } from "../observe/trace.ts";
import { calledRouteHeader, routeName } from "../routing/called-endpoint.ts";
import type { ServiceDirectory } from "./directory.ts";
import { HTML } from "../../declare/html.ts";
import { Redirect, RedirectPermanent } from "../../declare/redirect.ts";
import { parseJSON } from "../body/json.ts";
import type { ErrorKind } from "../response/refusal.ts";
import {
  errorOf,
  replyHeader,
  type ResultKind,
  type SaidByReply,
  type ServiceRefusal,
} from "../response/service-answer.ts";
import type { Blob } from "../../declare/blob.ts";
import { pulled } from "../../lib/pulled.ts";
import { readDisposition } from "../blob/disposition.ts";

/**
 * Runs an endpoint of another service, which checks its own gate and policy. Throws the handler's error or the gate's
 * refusal. If the service fails or does not respond, throws an error whose message clients never see.
 */
export async function callRemote(
  { services, spans }: Pick<Application, "services" | "spans">,
  remote: BundledRemote,
  ctx: Context,
  request: unknown,
): Promise<unknown> {
  if (services === undefined)
    throw new Fault(`${describeCall(remote)} cannot be called: this process has no addresses of services`);
  const origin = originOf(ctx);
  const message = remote.encode(request as never);
  requirePath(describeCall(remote), remote.route, message.path);
  const body = bodyOf(message);
  const bounds = new CallBounds(describeCall(remote), ctx.signal, remainingMs(origin.deadline));
  const span = beginSpan(spans, origin.trace, {
    kind: "client",
    name: remote.route,
    attributes: { "http.request.method": remote.method, "http.route": remote.route, "peer.service": remote.service },
  });
  let result: unknown;
  try {
    bounds.check();
    const call = {
      services,
      service: remote.service,
      method: remote.method,
      path: message.path,
      headers: headersOf({ services, remote, ctx, origin, trace: span.trace, body, fields: message.fields }),
      body,
    };
    bounds.check();
    const answer = await answerTo(call, bounds);
    // If the called handler read the htmx headers, this handler's response depends on them, too.
    if (readsHTMX(answer.headers)) void ctx.htmx;
    result = await resultOf(remote, answer, bounds);
    span.end(false);
    return result;
  } catch (error) {
    span.end(isFailure(error));
    throw asFailure(remote, error);
  } finally {
    // The bytes of a Blob have not been read yet.
    if (!isBlob(isReply(result) ? result.body : result)) bounds.close();
  }
}

function remainingMs(deadline: number | undefined): number | undefined {
  return deadline === undefined ? undefined : deadline - performance.now();
}

/** Adds a description of the call to a network error. Returns any other error unchanged. */
function asFailure(remote: BundledRemote, error: unknown): unknown {
  if (isA(error, Unanswered)) return new Error(`${describeCall(remote)} did not respond`, { cause: error.cause });
  const isSystemError = isA(error, Error) && "syscall" in error;
  const isReset = isA(error, Error) && "code" in error && error.code === "ECONNRESET";
  return isSystemError || isReset ? new Error(`${describeCall(remote)} could not be reached`, { cause: error }) : error;
}

interface RemoteCall extends Pick<RemoteRequest, "fields"> {
  readonly services: ServiceDirectory;
  readonly remote: BundledRemote;
  readonly ctx: Context;
  readonly origin: Origin;
  readonly trace: Origin["trace"];
  readonly body: RemoteBody;
}

/** Returns the headers of a call, which describe its caller, user, deadline and content. */
function headersOf({ services, remote, ctx, origin, trace, body, fields }: RemoteCall): OutgoingHttpHeaders {
  const { ip, userAgent } = ctx.client;
  const { claim, deadline, htmx } = origin;
  const { type, length, streams } = body;
  const { method, route } = remote;
  const headers: OutgoingHttpHeaders = {
    traceparent: traceparent(trace),
    [calledRouteHeader]: routeName(route),
  };
  if (services.name !== undefined) headers[callerHeader] = services.name;
  if (claim?.by === "authenticator") headers[credentialsHeader] = claim.credentials.text;
  else if (claim !== undefined) headers["X-Fw-Session"] = claim.id;
  if (deadline !== undefined) headers["X-Fw-Deadline-Ms"] = Math.max(0, Math.floor(deadline - performance.now()));
  else if (!streams) headers["X-Fw-Deadline-Ms"] = remoteMs;
  if (ip !== "") headers["X-Fw-Client-IP"] = ip;
  if (userAgent !== "") headers["User-Agent"] = userAgent;
  if (ctx.origin !== "") headers["X-Fw-Origin"] = ctx.origin;
  Object.assign(headers, htmxHeaders(htmx));
  if (type !== "") headers["Content-Type"] = type;
  if (length === undefined) headers["Transfer-Encoding"] = "chunked";
  else if (length > 0 || (method !== "GET" && method !== "HEAD")) headers["Content-Length"] = length;
  if (fields !== undefined && fields !== "") headers[calledFieldsHeader] = fields;
  return headers;
}

/** Returns the endpoint's result from its service's response, or throws the endpoint's error. */
async function resultOf(remote: BundledRemote, res: IncomingMessage, bounds: CallBounds): Promise<unknown> {
  const header = res.headers[replyHeader];
  if (typeof header !== "string") return readResult(remote, res, bounds, remote.decode);
  const parts = JSON.parse(decodeURIComponent(header)) as SaidByReply;
  return reply(await readResult(remote, res, bounds, (value) => remote.decodeReply?.(value, parts.status)), parts);
}

/** Reads the result of a response, or throws its error. */
async function readResult(
  remote: BundledRemote,
  res: IncomingMessage,
  bounds: CallBounds,
  decode: CallCodec["decode"],
): Promise<unknown> {
  const kind = res.headers["x-fw-result"] as ResultKind | undefined;
  if (kind === "blob") return blobOfAnswer(res, bounds);
  bounds.onEnd((error) => res.destroy(error));
  const bytes = await readText(res);
  switch (kind) {
    case "nothing":
      return undefined;
    case "json":
      return decodeJSON(remote, bytes, decode);
    case "document":
    case "fragment":
      return new HTML(bytes.toString(), kind === "document");
    case "redirect":
      return redirectionOf(res);
    default:
      throw failureOf(remote, res, bytes);
  }
}

function decodeJSON(remote: BundledRemote, bytes: Buffer, decode: CallCodec["decode"]): unknown {
  try {
    return decode(parseJSON(bytes, remote.exactIntegers));
  } catch (error) {
    // Either the service has a bug or it runs another version. For the client this is an internal error, whatever
    // status the decoding error has.
    throw new Error(`${describeCall(remote)} returned a response that does not match its type`, { cause: error });
  }
}

function redirectionOf({ statusCode, headers }: IncomingMessage): unknown {
  const { location = "" } = headers;
  return statusCode === 301 ? RedirectPermanent(location) : Redirect(location);
}

/** Reads the complete body of a response. Rejects if it is cut off or larger than `remoteBytes`. */
function readText(res: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    res.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > remoteBytes)
        res.destroy(new Error(`the response of another service is larger than ${remoteBytes} bytes`));
      else chunks.push(chunk);
    });
    res.once("end", () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    res.once("error", reject);
  });
}

/**
 * Returns the error for a response without a result. A refusal keeps its status, message and kind. If the service
 * failed or a proxy responded, clients never see the message of the error.
 */
function failureOf(remote: BundledRemote, res: IncomingMessage, bytes: Buffer): Error {
  const kind = res.headers["x-fw-error"] as ErrorKind | undefined;
  const { statusCode = 0 } = res;
  if (kind === undefined || kind === "internal") return new Error(describeFailure(remote, res));
  const { error, policy = "", details } = JSON.parse(bytes.toString()) as ServiceRefusal;
  return errorOf({ kind, status: statusCode, message: error, policy }, details);
}

function describeFailure(remote: BundledRemote, { statusCode = 0, headers }: IncomingMessage): string {
  const id = headers["x-request-id"];
  const where = typeof id === "string" ? `: its log has the cause, req=${id}` : "";
  const failed = headers["x-fw-error"] === "internal";
  // A service does not mark the 404 of a route that its build lacks.
  return `${describeCall(remote)} ${failed ? "failed" : `got ${statusCode} from a proxy or another build`}${where}`;
}

/** Returns the body of a response as a Blob that can be read once, with backpressure. */
function blobOfAnswer(res: IncomingMessage, bounds: CallBounds): Blob {
  const { "content-type": type = "", "content-length": length, etag } = res.headers;
  bounds.markAnswered();
  bounds.onEnd((error) => res.destroy(error));
  res.once("close", () => bounds.close());
  // The reader, if any, gets the error of a truncated response.
  res.on("error", () => {});
  let isRead = false;
  return {
    type,
    ...(length !== undefined && { size: Number(length) }),
    ...(etag !== undefined && { etag: etag.replace(/^"(.*)"$/, "$1") }),
    ...readDisposition(res.headers["content-disposition"]),
    stream() {
      if (isRead) throw new Error("a Blob of another service can be read only once: keep its bytes to read it again");
      isRead = true;
      return streamOf(res, bounds);
    },
  };
}

function streamOf(res: IncomingMessage, bounds: CallBounds): ReadableStream<Uint8Array> {
  const chunks = res.iterator() as AsyncIterator<Uint8Array>;
  const next = async (): Promise<IteratorResult<Uint8Array, unknown>> => {
    bounds.progress();
    const chunk = await chunks.next();
    bounds.progress();
    return chunk;
  };
  return pulled({ next }, { cancel: () => res.destroy() });
}
