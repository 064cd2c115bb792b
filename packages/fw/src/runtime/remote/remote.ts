import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { isReply } from "../../declare/reply.ts";
import { isA } from "../../lib/thrown.ts";
import type { Application } from "../application.ts";
import { isBlob } from "../blob/send-blob.ts";
import type { BundledRemote } from "../bundle.ts";
import { beginSpan, isFailure } from "../observe/span.ts";
import { readsHTMX } from "../page/htmx.ts";
import { originOf } from "../calls/origin.ts";
import { resultOf } from "./answer.ts";
import { bodyOf } from "./body.ts";
import { CallBounds } from "./bounds.ts";
import { Unanswered } from "./exchange.ts";
import { headersOf } from "./headers.ts";
import { describeCall, requirePath } from "./name.ts";
import { answerTo } from "./retry.ts";

/**
 * Runs an endpoint of another service, which checks its own gate and policy. Fails with the error of the handler or the
 * refusal of the gate; if the service fails or does not answer, with an error whose message clients never see.
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
  const remaining = origin.deadline === undefined ? undefined : origin.deadline - performance.now();
  const bounds = new CallBounds(describeCall(remote), ctx.signal, remaining);
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
    // If the called handler read the htmx headers, the answer of this one depends on them, too.
    if (readsHTMX(answer.headers)) void ctx.htmx;
    result = await resultOf(remote, answer, bounds);
    span.end(false);
    return result;
  } catch (error) {
    span.end(isFailure(error));
    throw asFailure(remote, error);
  } finally {
    // The bytes of a Blob are still to be read.
    if (!isBlob(isReply(result) ? result.body : result)) bounds.close();
  }
}

/** Describes a network error with the call that it broke. */
function asFailure(remote: BundledRemote, error: unknown): unknown {
  if (isA(error, Unanswered)) return new Error(`${describeCall(remote)} did not answer`, { cause: error.cause });
  const isSystemError = isA(error, Error) && "syscall" in error;
  const isReset = isA(error, Error) && "code" in error && error.code === "ECONNRESET";
  return isSystemError || isReset ? new Error(`${describeCall(remote)} could not be reached`, { cause: error }) : error;
}
