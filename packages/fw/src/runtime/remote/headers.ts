import type { OutgoingHttpHeaders } from "node:http";
import type { Context } from "../../declare/context.ts";
import { remoteMs } from "../../lib/limits.ts";
import { callerHeader, credentialsHeader } from "../access/service-call.ts";
import { calledFieldsHeader } from "../body/fields.ts";
import type { BundledRemote, RemoteRequest } from "../bundle.ts";
import type { Origin } from "../calls/origin.ts";
import { traceparent } from "../observe/trace.ts";
import { htmxHeaders } from "../page/htmx.ts";
import { calledRouteHeader, routeName } from "../routing/called-endpoint.ts";
import type { RemoteBody } from "./body.ts";
import type { ServiceDirectory } from "./directory.ts";

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
export function headersOf({ services, remote, ctx, origin, trace, body, fields }: RemoteCall): OutgoingHttpHeaders {
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
