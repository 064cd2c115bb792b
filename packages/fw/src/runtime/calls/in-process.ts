import { PassThrough } from "node:stream";
import type { Blob } from "../../declare/blob.ts";
import type { Context } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import { HTML, isHTML } from "../../declare/html.ts";
import { isRedirection, Redirection } from "../../declare/redirect.ts";
import { isReply, reply, type Reply } from "../../declare/reply.ts";
import { remoteBytes } from "../../lib/limits.ts";
import { asError } from "../../lib/thrown.ts";
import { requireSignIn } from "../access/gate.ts";
import { type Application, packageOf } from "../application.ts";
import { findSession } from "../auth/identify.ts";
import { checkedStream } from "../blob/checked-stream.ts";
import { isBlob } from "../blob/send-blob.ts";
import { calledFields } from "../body/fields.ts";
import { parseJSON } from "../body/json.ts";
import { readMultipart } from "../body/multipart.ts";
import { rawBody } from "../body/raw.ts";
import type { CallCodec, RemoteRequest } from "../bundle.ts";
import { callEndpoint } from "../call.ts";
import type { FormFields } from "../decode/raw-request.ts";
import { messages } from "../error-messages.ts";
import { ReadableBody } from "../exchange/readable-body.ts";
import { routeLogger } from "../observe/log.ts";
import { startMeter } from "../observe/metrics/meter.ts";
import { headerURL } from "../page/redirect.ts";
import { bodyOf } from "../remote/body.ts";
import { describeCall, requirePath } from "../remote/name.ts";
import { jsonText } from "../response/json-text.ts";
import { refusalOf } from "../response/refusal.ts";
import { replyCookies, replyHeaders, requireReply } from "../response/reply-headers.ts";
import { errorOf } from "../response/service-answer.ts";
import { paramsIn } from "../routing/called-endpoint.ts";
import { CallContext } from "./call-context.ts";
import { type Callee, originOf } from "./origin.ts";

/**
 * Runs an endpoint of another service in this process, without HTTP but with the same effects. Serializes the request
 * and the result, looks up the session again, and converts errors.
 */
export async function callInProcess(
  app: Application,
  endpoint: Callee,
  ctx: Context,
  request: unknown,
): Promise<unknown> {
  const origin = originOf(ctx);
  const name = describeCall({ route: endpoint.route, service: packageOf(app, endpoint)?.service ?? "" });
  const message = endpoint.call.encode(request as never);
  requirePath(name, endpoint.route, message.path);
  ctx.signal.throwIfAborted();
  const session =
    origin.claim !== undefined && endpoint.maxAge === 0
      ? await findSession(app, origin.claim, ctx, endpoint)
      : undefined;
  const callee = new CallContext({ app, endpoint, outer: ctx, origin, session });
  const countRequest = startMeter(app.metrics, endpoint.route);
  const answer = await runEndpoint(callee, endpoint, message).catch((error: unknown) => {
    countRequest(refusalOf(error)?.status ?? 500);
    // A test's own call gets the original error; a call from another service does not.
    throw origin.service === undefined ? error : failureOf(callee, name, error);
  });
  countRequest(answer.status);
  return answer.read(name);
}

/** The response of an endpoint. `read` returns the result, and throws if the result is not as declared. */
interface EndpointAnswer {
  readonly status: number;
  read(name: string): unknown;
}

/** Admits, decodes and runs a request in the same order as the endpoint's own service would. */
async function runEndpoint(
  ctx: CallContext,
  endpoint: Callee,
  { path, json, raw: rawContent, form, fields }: RemoteRequest,
): Promise<EndpointAnswer> {
  requireSignIn(ctx, endpoint);
  const bytes = json === undefined ? rawContent?.bytes : Buffer.from(json);
  if (bytes !== undefined && bytes.byteLength > remoteBytes) throw new StatusError(413, messages.tooLarge(remoteBytes));
  const read = form && (await copyForm(form));
  try {
    const [target = "", query = ""] = split(path);
    const body =
      rawContent === undefined
        ? parseJSON(bytes && Buffer.from(bytes), endpoint.exactIntegers)
        : rawBody(rawContent.bytes, rawContent.type);
    const raw = {
      params: paramsIn(endpoint.route, target) ?? [],
      query,
      body,
      form: read?.form,
      fields: calledFields(fields),
    };
    return serialize(endpoint, await callEndpoint(ctx, endpoint, endpoint.decode(raw)), read);
  } finally {
    read?.release();
  }
}

function split(path: string): readonly string[] {
  const mark = path.indexOf("?");
  return mark === -1 ? [path] : [path.slice(0, mark), path.slice(mark + 1)];
}

function serialize(endpoint: Callee, result: unknown, form: ParsedForm | undefined): EndpointAnswer {
  if (isReply(result)) return serializeReply(endpoint, result, form);
  return { status: 200, read: serializeBody(endpoint, result, form, endpoint.call.decode) };
}

function serializeReply(endpoint: Callee, result: Reply, form: ParsedForm | undefined): EndpointAnswer {
  requireReply(endpoint, result);
  replyHeaders(result);
  replyCookies(result, false);
  const { body, status, headers, cookies } = result;
  const { decodeReply } = endpoint.call;
  const read = serializeBody(endpoint, body, form, (value) => decodeReply?.(value, status));
  return { status: status ?? 200, read: (name) => reply(read(name), { status, headers, cookies }) };
}

function serializeBody(
  endpoint: Callee,
  result: unknown,
  form: ParsedForm | undefined,
  decode: CallCodec["decode"],
): EndpointAnswer["read"] {
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
  if (bytes.byteLength > remoteBytes)
    throw new Error(`the response of another service is larger than ${remoteBytes} bytes`);
  try {
    return decode(parseJSON(bytes, codec.exactIntegers));
  } catch (error) {
    throw new Error(`${name} returned a response that does not match its type`, { cause: error });
  }
}

/** Converts an error for the caller. Preserves the kind of a refusal, and logs any other error. */
function failureOf(ctx: CallContext, name: string, error: unknown): Error {
  const refusal = refusalOf(error);
  if (refusal === undefined) {
    routeLogger(ctx.endpoint.route, ctx.log).error("the request failed", { error: asError(error) });
    ctx.app.onFault?.({ error, requestId: ctx.requestId, route: ctx.endpoint.route });
    return new Error(`${name} failed: its log has the cause, req=${ctx.requestId}`, { cause: asError(error) });
  }
  const { detailsText } = refusal;
  return errorOf(refusal, detailsText && JSON.parse(detailsText));
}

/** Wraps a blob from another service, which can be read once. Calls `onEnd` once it is read or canceled. */
function readOnce(blob: Blob, onEnd?: () => void): Blob {
  const { type, size, etag, name, download } = blob;
  let isRead = false;
  return {
    type,
    ...(size !== undefined && { size }),
    ...(etag !== undefined && { etag }),
    ...(name !== undefined && { name }),
    ...(download !== undefined && { download }),
    stream() {
      if (isRead) throw new Error("a Blob of another service can be read only once: keep its bytes to read it again");
      isRead = true;
      return checkedStream(blob, onEnd);
    },
  };
}

/** A form passed to an endpoint in this process. */
interface ParsedForm {
  readonly form: FormFields;
  /** Releases the form's files, unless `keep` was called. */
  release(): void;
  /** Keeps the files until the returned function is called, because a Blob in the response may read from them. */
  keep(): () => void;
}

/** Serializes and parses a form as between two services: copies its files and applies the form limits. */
async function copyForm(fields: NonNullable<RemoteRequest["form"]>): Promise<ParsedForm> {
  const body = bodyOf({ path: "", form: fields });
  const wire = new PassThrough();
  const headers = new Map([["content-type", body.type]]);
  if (body.length !== undefined) headers.set("content-length", String(body.length));
  const source = Object.assign(new ReadableBody(wire), { header: (name: string) => headers.get(name) });
  try {
    body.send({ req: wire, isOpen: () => !wire.destroyed }, { progress() {} });
    const read = await readMultipart(source);
    let isKept = false;
    return {
      form: read.form,
      release: () => void (isKept || read.dispose()),
      keep() {
        isKept = true;
        return () => void read.dispose();
      },
    };
  } catch (error) {
    // Report the failure of a file rather than the truncated form that it caused.
    throw wire.errored ?? error;
  } finally {
    wire.destroy();
  }
}
