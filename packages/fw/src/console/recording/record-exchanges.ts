import { IncomingMessage, ServerResponse } from "node:http";
import type { RawHeaders } from "../../runtime/exchange/exchange.ts";
import { LoadFilter } from "./load-filter.ts";
import { RecordedBody } from "./recorded-body.ts";
import { RecordedExchange } from "./recorded-exchange.ts";

/** Environment variable: "off" disables the recording of headers and bodies. */
const recordingSwitch = "FW_CONSOLE_BODIES";

/** Keys of properties on Node's objects: the record of a response, and the body of a request. */
const exchangeKey: unique symbol = Symbol("fw.exchange");
const bodyKey: unique symbol = Symbol("fw.body");

interface RecordedRequest extends IncomingMessage {
  /** The body so far; only its first chunk while the response is unlikely to be recorded. */
  [bodyKey]?: RecordedBody | Uint8Array;
}

interface RecordedResponse extends ServerResponse<RecordedRequest> {
  [exchangeKey]?: RecordedExchange;
}

/**
 * Records the headers and bodies of this process's requests, except those to the framework's endpoints. Replaces
 * methods of Node's own classes, so that neither the runtime nor a built service contains code for it. A record begins
 * with the head of the response, so that a request without a record costs almost nothing.
 */
export function recordExchanges(
  record: (exchange: RecordedExchange) => void,
  env: Readonly<Record<string, string | undefined>> = process.env,
): void {
  if (env[recordingSwitch] === "off") return;
  const filter = new LoadFilter();
  tapResponses(filter, record);
  tapRequests(filter);
}

/** Replaces methods of Node's class once, because replacing them on each response would cost more than recording it. */
function tapResponses(filter: LoadFilter, record: (exchange: RecordedExchange) => void): void {
  type Method<Result> = (this: RecordedResponse, ...args: readonly unknown[]) => Result;
  const prototype = ServerResponse.prototype as unknown as {
    writeHead: Method<ServerResponse>;
    write: Method<boolean>;
    end: Method<ServerResponse>;
  };
  const { writeHead, write, end } = prototype;
  prototype.writeHead = function (status, reason, headers) {
    const list = headers ?? reason;
    if (Array.isArray(list) && !isOwn(this.req) && (Number(status) >= 400 || filter.takes()))
      beginExchange(this, list as RawHeaders);
    return writeHead.call(this, status, reason, headers);
  };
  prototype.write = function (chunk, encoding, callback) {
    const exchange = this[exchangeKey];
    if (exchange !== undefined) {
      addChunk(exchange, chunk, encoding);
      // A response whose connection is cut never emits its end.
      if (exchange.becomesStream()) this.once("close", () => finish(exchange));
    }
    return write.call(this, chunk, encoding, callback);
  };
  prototype.end = function (chunk, encoding, callback) {
    const exchange = this[exchangeKey];
    if (exchange !== undefined) {
      addChunk(exchange, chunk, encoding);
      finish(exchange);
    }
    return end.call(this, chunk, encoding, callback);
  };
  const finish = (exchange: RecordedExchange): void => {
    if (exchange.finish()) record(exchange);
  };
}

function beginExchange(response: RecordedResponse, responseHeaders: RawHeaders): void {
  const { req } = response;
  const { url: target = "", rawHeaders: requestHeaders } = req;
  const requestBody = hasBody(req) ? recordedBody(req) : undefined;
  response[exchangeKey] = new RecordedExchange({ target, requestHeaders, requestBody, responseHeaders });
}

/** Returns the recorded body of a request, which is copied from now on. */
function recordedBody(request: RecordedRequest): RecordedBody {
  const body = request[bodyKey];
  if (body instanceof RecordedBody) return body;
  const recorded = (request[bodyKey] = new RecordedBody());
  if (body !== undefined) recorded.add(body);
  return recorded;
}

/** True for a request to the framework's endpoints. */
function isOwn({ url }: IncomingMessage): boolean {
  return url?.startsWith("/_fw/") === true;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function tapRequests(filter: LoadFilter): void {
  type Push = (this: RecordedRequest, chunk: Uint8Array | string | null, encoding?: BufferEncoding) => boolean;
  const prototype = IncomingMessage.prototype as { push: Push };
  const { push } = prototype;
  prototype.push = function (chunk, encoding) {
    // A message with a status is a response to a request that this process sent.
    if (chunk !== null && !isAnswer(this) && !isOwn(this)) {
      if (this[bodyKey] === undefined && !filter.isIdle && typeof chunk !== "string") this[bodyKey] = chunk;
      else recordedBody(this).add(chunk, encoding);
    }
    return push.call(this, chunk, encoding);
  };
}

/** True for a response to a request that this process sent. */
function isAnswer({ statusCode }: IncomingMessage): boolean {
  return typeof statusCode === "number";
}

function addChunk(exchange: RecordedExchange, chunk: unknown, encoding: unknown): void {
  if (typeof chunk === "string" || chunk instanceof Uint8Array)
    exchange.addToResponse(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : undefined);
}
