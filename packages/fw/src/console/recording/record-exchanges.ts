import { IncomingMessage, ServerResponse } from "node:http";
import type { RawHeaders } from "../../runtime/exchange/exchange.ts";
import { LoadFilter } from "./load-filter.ts";
import { RecordedBody } from "./recorded-body.ts";
import { RecordedExchange } from "./recorded-exchange.ts";

/** The environment variable that disables the recording of headers and bodies if it is "off". */
const recordingSwitch = "FW_CONSOLE_BODIES";

/** The property of Node's request object that holds the body. */
const bodyKey: unique symbol = Symbol("fw.body");

interface RecordedRequest extends IncomingMessage {
  /** The body so far, or only its first chunk while the response is unlikely to be recorded. */
  [bodyKey]?: RecordedBody | Uint8Array;
}

type RecordedResponse = ServerResponse<RecordedRequest>;

/**
 * Records the headers and bodies of this process's requests, except those to the framework's endpoints. Patches Node's
 * own classes, so that neither the runtime nor a built service contains code for it. A record starts with the head of
 * the response, so that a request that is not recorded costs almost nothing.
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

/**
 * Patches a method of Node's class. Only a response that is recorded gets its own methods, so that during a load test
 * the others are as fast as without a console.
 */
function tapResponses(filter: LoadFilter, record: (exchange: RecordedExchange) => void): void {
  const prototype = ServerResponse.prototype as unknown as Pick<ResponseMethods, "writeHead">;
  const { writeHead } = prototype;
  prototype.writeHead = function (status, reason, headers) {
    const isFailure = Number(status) >= 400;
    if (isFailure || filter.isIdle) {
      const list = headers ?? reason;
      if (Array.isArray(list) && !isOwn(this.req)) {
        if (!isFailure) filter.takes();
        tapBody(this, beginExchange(this.req, list as RawHeaders), record);
      }
    }
    return writeHead.call(this, status, reason, headers);
  };
}

type ResponseMethod<Result> = (this: RecordedResponse, ...args: readonly unknown[]) => Result;

interface ResponseMethods {
  writeHead: ResponseMethod<ServerResponse>;
  write: ResponseMethod<boolean>;
  end: ResponseMethod<ServerResponse>;
}

/** Records everything that a response writes until it ends. */
function tapBody(
  response: RecordedResponse,
  exchange: RecordedExchange,
  record: (exchange: RecordedExchange) => void,
): void {
  const methods = response as unknown as ResponseMethods;
  const { write, end } = methods;
  const finish = (): void => {
    if (exchange.finish()) record(exchange);
  };
  methods.write = function (chunk, encoding, callback) {
    addChunk(exchange, chunk, encoding);
    // A response whose connection is cut never emits its end.
    if (exchange.becomesStream()) this.once("close", finish);
    return write.call(this, chunk, encoding, callback);
  };
  methods.end = function (chunk, encoding, callback) {
    addChunk(exchange, chunk, encoding);
    finish();
    return end.call(this, chunk, encoding, callback);
  };
}

function beginExchange(request: RecordedRequest, responseHeaders: RawHeaders): RecordedExchange {
  const { url: target = "", rawHeaders: requestHeaders } = request;
  const requestBody = hasBody(request) ? recordedBody(request) : undefined;
  return new RecordedExchange({ target, requestHeaders, requestBody, responseHeaders });
}

/** Returns the recorded body of a request, and starts recording it if necessary. */
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
    if (chunk !== null && !isAnswer(this)) {
      if (!filter.isIdle && this[bodyKey] === undefined && typeof chunk !== "string") this[bodyKey] = chunk;
      else if (!isOwn(this)) recordedBody(this).add(chunk, encoding);
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
