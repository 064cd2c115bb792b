import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { isReply } from "../../declare/reply.ts";
import { isA } from "../../lib/thrown.ts";
import type { Application } from "../application.ts";
import { isBlob } from "../blob/send-blob.ts";
import type { BundledRemote } from "../bundle.ts";
import { beginSpan, isFailure } from "../observe/span.ts";
import { asksHTMX } from "../page/htmx.ts";
import { originOf } from "../calls/origin.ts";
import { resultOf } from "./answer.ts";
import { bodyOf } from "./body.ts";
import { CallBounds } from "./bounds.ts";
import { Unanswered } from "./exchange.ts";
import { headersOf } from "./headers.ts";
import { nameOf, requirePath } from "./name.ts";
import { answerTo } from "./retry.ts";

/**
 * Runs an endpoint of another service, which evaluates its own gate and policy. Fails with what the handler throws there, or with the
 * refusal of the gate; where the service fails or does not answer, with an error that no visitor can read.
 */
export async function callRemote(
  { services, spans }: Pick<Application, "services" | "spans">,
  remote: BundledRemote,
  ctx: Context,
  request: unknown,
): Promise<unknown> {
  if (services === undefined) throw new Fault(`${nameOf(remote)} was called where nothing says where services are`);
  const origin = originOf(ctx);
  const sent = remote.encode(request as never);
  requirePath(nameOf(remote), remote.route, sent.path);
  const body = bodyOf(sent);
  const left = origin.deadline === undefined ? undefined : origin.deadline - performance.now();
  const bounds = new CallBounds(nameOf(remote), ctx.signal, left);
  const span = beginSpan(spans, origin.trace, {
    kind: "client",
    name: remote.route,
    attributes: { "http.request.method": remote.method, "http.route": remote.route, "peer.service": remote.service },
  });
  let result: unknown;
  try {
    bounds.check();
    const message = {
      services,
      service: remote.service,
      method: remote.method,
      path: sent.path,
      headers: headersOf({ services, remote, ctx, origin, trace: span.trace, body, fields: sent.fields }),
      body,
    };
    bounds.check();
    const answer = await answerTo(message, bounds);
    // What the handler there has asked, the one here has asked by calling it.
    if (asksHTMX(answer.headers)) void ctx.htmx;
    result = await resultOf(remote, answer, bounds);
    span.end(false);
    return result;
  } catch (error) {
    span.end(isFailure(error));
    throw asFailure(remote, error);
  } finally {
    // The bytes of a Blob are still to come.
    if (!isBlob(isReply(result) ? result.body : result)) bounds.close();
  }
}

/** What broke on the way is named by the call that it broke. */
function asFailure(remote: BundledRemote, error: unknown): unknown {
  if (isA(error, Unanswered)) return new Error(`${nameOf(remote)} did not answer`, { cause: error.cause });
  const broken = isA(error, Error) && "syscall" in error;
  const cutOff = isA(error, Error) && "code" in error && error.code === "ECONNRESET";
  return broken || cutOff ? new Error(`${nameOf(remote)} could not be reached`, { cause: error }) : error;
}
