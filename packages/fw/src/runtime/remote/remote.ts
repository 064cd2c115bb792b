import type { OutgoingHttpHeaders } from "node:http";
import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { isReply } from "../../declare/reply.ts";
import { isA } from "../../lib/thrown.ts";
import type { Application } from "../application.ts";
import { isBlob } from "../blob/send-blob.ts";
import type { BundledRemote, RemoteRequest } from "../bundle.ts";
import { beginSpan, isFailure } from "../observe/span.ts";
import { readsHTMX, htmxHeaders } from "../page/htmx.ts";
import { originOf, type Origin } from "../calls/origin.ts";
import { resultOf } from "./answer.ts";
import { bodyOf, type RemoteBody } from "./body.ts";
import { CallBounds } from "./bounds.ts";
import { Unanswered } from "./exchange.ts";
import { describeCall, requirePath } from "./name.ts";
import { answerTo } from "./retry.ts";
import { remoteMs } from "../../lib/limits.ts";
import { callerHeader, credentialsHeader } from "../access/service-call.ts";
import { calledFieldsHeader } from "../body/fields.ts";
import { traceparent } from "../observe/trace.ts";
import { calledRouteHeader, routeName } from "../routing/called-endpoint.ts";
import type { ServiceDirectory } from "./directory.ts";

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
    // If the called handler read the htmx headers, this handler's response depends on them as well.
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

/** Adds a description of the call to a network error. */
function asFailure(remote: BundledRemote, error: unknown): unknown {
  if (isA(error, Unanswered)) return new Error(`${describeCall(remote)} did not answer`, { cause: error.cause });
  const isSystemError = isA(error, Error) && "syscall" in error;
  const isReset = isA(error, Error) && "code" in error && error.code === "ECONNRESET";
  return isSystemError || isReset ? new Error(`${describeCall(remote)} could not be reached`, { cause: error }) : error;
}

interface RemoteCall extends Pick<RemoteRequest, "fields"> {
  readonly services: ServiceDirectory;
  readonly remote: BundledRemote;
  readonly ctx: Context;
  readonly origin: Origin;
  /** The span of this call. */
  readonly trace: Origin["trace"];
  readonly body: RemoteBody;
}

/** Returns the headers of a call: the caller, its user, its deadline, and the content of the request. */
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
