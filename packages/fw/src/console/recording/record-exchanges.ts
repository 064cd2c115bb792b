import { IncomingMessage, ServerResponse } from "node:http";
import type { RawHeaders } from "../../runtime/exchange/exchange.ts";
import { LoadFilter } from "./load-filter.ts";
import { RecordedBody } from "./recorded-body.ts";
import { RecordedExchange } from "./recorded-exchange.ts";

/** The environment variable that disables the recording of headers and bodies if it is "off". */
const recordingSwitch = "FW_CONSOLE_BODIES";

/**
 * The bodies of requests so far; under load, a body is its plain first chunk until a second arrives. They are not
 * properties of Node's objects: a property of some requests would split them into two hidden classes, which slows every
 * access to a request in Node and fw.
 */
const bodies: WeakMap<IncomingMessage, RecordedBody | Uint8Array> = new WeakMap();

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

interface ResponseMethods {
  writeHead: ResponseMethod<ServerResponse>;
  write: ResponseMethod<boolean>;
  end: ResponseMethod<ServerResponse>;
}

type ResponseMethod<Result> = (this: ServerResponse, ...args: readonly unknown[]) => Result;

/** Records each failed response, and any other response while the filter is idle, from its head to its end. */
function tapResponses(filter: LoadFilter, record: (exchange: RecordedExchange) => void): void {
  const prototype = ServerResponse.prototype as unknown as ResponseMethods;
  const { writeHead, write, end } = prototype;
  const exchanges = new WeakMap<ServerResponse, RecordedExchange>();
  const finish = (response: ServerResponse, exchange: RecordedExchange): void => {
    exchanges.delete(response);
    if (exchange.finish()) record(exchange);
  };
  prototype.writeHead = function (status, reason, headers) {
    const isFailure = Number(status) >= 400;
    if (isFailure || filter.isIdle) {
      const list = headers ?? reason;
      if (Array.isArray(list) && !isOwn(this.req)) {
        if (!isFailure) filter.takes();
        exchanges.set(this, beginExchange(this.req, list as RawHeaders));
      }
    }
    if (this.req.complete) bodies.delete(this.req);
    return writeHead.call(this, status, reason, headers);
  };
  prototype.write = function (chunk, encoding, callback) {
    const exchange = exchanges.get(this);
    if (exchange !== undefined) {
      addChunk(exchange, chunk, encoding);
      // A response whose connection is cut never emits its end.
      if (exchange.becomesStream()) this.once("close", () => finish(this, exchange));
    }
    return write.call(this, chunk, encoding, callback);
  };
  prototype.end = function (chunk, encoding, callback) {
    const exchange = exchanges.get(this);
    if (exchange !== undefined) {
      addChunk(exchange, chunk, encoding);
      finish(this, exchange);
    }
    return end.call(this, chunk, encoding, callback);
  };
}

function beginExchange(request: IncomingMessage, responseHeaders: RawHeaders): RecordedExchange {
  const { url: target = "", rawHeaders: requestHeaders } = request;
  const requestBody = hasBody(request) ? recordedBody(request) : undefined;
  return new RecordedExchange({ target, requestHeaders, requestBody, responseHeaders });
}

/** Returns the recorded body of a request, and starts recording it if necessary. */
function recordedBody(request: IncomingMessage): RecordedBody {
  const body = bodies.get(request);
  if (body instanceof RecordedBody) return body;
  const recorded = new RecordedBody();
  bodies.set(request, recorded);
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
  type Push = (this: IncomingMessage, chunk: Uint8Array | string | null, encoding?: BufferEncoding) => boolean;
  const prototype = IncomingMessage.prototype as { push: Push };
  const { push } = prototype;
  prototype.push = function (chunk, encoding) {
    // A message with a status is a response to a request that this process sent.
    if (chunk !== null && !isAnswer(this)) {
      if (!filter.isIdle && !bodies.has(this) && typeof chunk !== "string") bodies.set(this, chunk);
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
