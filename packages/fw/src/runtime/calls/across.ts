import type { Context } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import { HTML, isHTML } from "../../declare/html.ts";
import { isRedirection, Redirection } from "../../declare/redirect.ts";
import { isReply, reply, type Reply } from "../../declare/reply.ts";
import { remoteBytes } from "../../lib/limits.ts";
import { asError } from "../../lib/thrown.ts";
import { requireSignIn } from "../access/gate.ts";
import { packageOf, type Application } from "../application.ts";
import { findSession } from "../auth/identify.ts";
import { isBlob } from "../blob/send-blob.ts";
import { readOnce } from "../blob/read-once.ts";
import { calledFields } from "../body/fields.ts";
import { parseJSON } from "../body/json.ts";
import { rawBody } from "../body/raw.ts";
import type { CallCodec, RemoteRequest } from "../bundle.ts";
import { called } from "../call.ts";
import { messages } from "../error-messages.ts";
import { logOf } from "../observe/log.ts";
import { meter } from "../observe/metrics/request-metrics.ts";
import { headerURL } from "../page/redirect.ts";
import { nameOf, requirePath } from "../remote/name.ts";
import { jsonText } from "../response/json-text.ts";
import { replyCookies, replyHeaders, requireReply } from "../response/reply-headers.ts";
import { refusalOf } from "../response/refusal.ts";
import { errorOf } from "../response/service-answer.ts";
import { paramsIn } from "../routing/called.ts";
import { CallContext } from "./call-context.ts";
import { readSentForm, type SentForm } from "./form.ts";
import { originOf, type Callee } from "./origin.ts";

/**
 * Runs an endpoint for code of another service as that service would, without HTTP: the request and the result are
 * written and read, the session is looked up again, and errors keep their kind and nothing else.
 */
export async function callAcross(app: Application, endpoint: Callee, ctx: Context, request: unknown): Promise<unknown> {
  const origin = originOf(ctx);
  const { claim } = origin;
  const name = nameOf({ route: endpoint.route, service: packageOf(app, endpoint)?.service ?? "" });
  const sent = endpoint.call.encode(request as never);
  requirePath(name, endpoint.route, sent.path);
  ctx.signal.throwIfAborted();
  const isKnown = claim !== undefined && endpoint.maxAge === 0;
  const session = isKnown ? await findSession(app, claim, ctx, endpoint) : undefined;
  const callee = new CallContext({ app, endpoint, outer: ctx, origin, session });
  const ended = meter(app.metrics, endpoint.route);
  const returned = await answered(callee, endpoint, sent).catch((error: unknown) => {
    ended(refusalOf(error)?.status ?? 500);
    // A test is told what a visitor is not.
    throw origin.service === undefined ? error : failureOf(callee, name, error);
  });
  ended(returned.status);
  return returned.read(name);
}

/** What an endpoint answered: the caller reads it. Throws a visitor's error where that is no answer. */
interface Answered {
  readonly status: number;
  read(name: string): unknown;
}

/** Refuses, decodes and runs as the endpoint's own service does, in this order. */
async function answered(
  ctx: CallContext,
  endpoint: Callee,
  { path, json, raw: unread, form, fields }: RemoteRequest,
): Promise<Answered> {
  requireSignIn(ctx, endpoint);
  const bytes = json === undefined ? unread?.bytes : Buffer.from(json);
  if (bytes !== undefined && bytes.byteLength > remoteBytes) throw new StatusError(413, messages.tooLarge(remoteBytes));
  const read = form && (await readSentForm(form));
  try {
    const [target = "", query = ""] = split(path);
    const body =
      unread === undefined
        ? parseJSON(bytes && Buffer.from(bytes), endpoint.exactIntegers)
        : rawBody(unread.bytes, unread.type);
    const raw = {
      params: paramsIn(endpoint.route, target) ?? [],
      query,
      body,
      form: read?.form,
      fields: calledFields(fields),
    };
    return written(endpoint, await called(ctx, endpoint, endpoint.decode(raw)), read);
  } finally {
    read?.release();
  }
}

function split(path: string): readonly string[] {
  const mark = path.indexOf("?");
  return mark === -1 ? [path] : [path.slice(0, mark), path.slice(mark + 1)];
}

/** What the endpoint returned as it goes to another service. */
function written(endpoint: Callee, result: unknown, form: SentForm | undefined): Answered {
  if (isReply(result)) return writtenReply(endpoint, result, form);
  return { status: 200, read: writtenBody(endpoint, result, form, endpoint.call.decode) };
}

function writtenReply(endpoint: Callee, made: Reply, form: SentForm | undefined): Answered {
  requireReply(endpoint, made);
  replyHeaders(made);
  replyCookies(made, false);
  const { body, status, headers, cookies } = made;
  const { decodeReply } = endpoint.call;
  const read = writtenBody(endpoint, body, form, (value) => decodeReply?.(value, status));
  return { status: status ?? 200, read: (name) => reply(read(name), { status, headers, cookies }) };
}

function writtenBody(
  endpoint: Callee,
  result: unknown,
  form: SentForm | undefined,
  decode: CallCodec["decode"],
): Answered["read"] {
  if (result === undefined) return () => undefined;
  if (isBlob(result)) {
    const blob = readOnce(result, form?.keep());
    return () => blob;
  }
  const copy = endpoint.kind === "page" ? pageCopy(result) : undefined;
  if (copy !== undefined) return () => copy;
  const bytes = Buffer.from(jsonText(endpoint, result));
  return (name) => readJSON(endpoint, name, bytes, decode);
}

function pageCopy(result: unknown): HTML | Redirection {
  if (isHTML(result)) return new HTML(result.text, result.document);
  if (isRedirection(result)) return new Redirection(headerURL(result.target), result.permanent);
  throw new Fault("a page must return site.render(…), site.fragment(…), Redirect(…) or a Blob");
}

function readJSON({ call: codec }: Callee, name: string, bytes: Buffer, decode: CallCodec["decode"]): unknown {
  if (bytes.byteLength > remoteBytes) throw new Error(`an answer of another service is at most ${remoteBytes} bytes`);
  try {
    return decode(parseJSON(bytes, codec.exactIntegers));
  } catch (error) {
    throw new Error(`${name} answered something else than it declares`, { cause: error });
  }
}

/** What a caller is told of an error: a refusal with its kind. The log of the endpoint's service has anything else. */
function failureOf(ctx: CallContext, name: string, error: unknown): Error {
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    logOf(ctx.endpoint.route, ctx.log).error("the request failed", { error: asError(error) });
    ctx.app.onFault?.({ error, requestId: ctx.requestId, route: ctx.endpoint.route });
    return new Error(`${name} failed; its log has the cause, req=${ctx.requestId}`, { cause: asError(error) });
  }
  const { detailsText } = refusal;
  return errorOf(refusal, detailsText && JSON.parse(detailsText));
}
