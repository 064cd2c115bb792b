import { subscribe } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";
import type { RawHeaders } from "../../runtime/exchange/exchange.ts";
import { loadFilter } from "./load-filter.ts";
import { RecordedExchange } from "./recorded-exchange.ts";

/** Environment variable: "off" stops the recording of headers and bodies. `.env` can set it, too. */
const recordingSwitch = "FW_CONSOLE_BODIES";

/** Returns the recorded exchange of a request or a response; undefined if it is not recorded. */
type ExchangeOf = (message: object) => RecordedExchange | undefined;

/**
 * Records the headers and bodies of this process's requests, except those to the framework's endpoints. It listens to
 * Node's own events, so that the runtime, and with it every built service, has no code for it.
 */
export function recordExchanges(record: (exchange: RecordedExchange) => void): void {
  if (process.env[recordingSwitch] === "off") return;
  const key = Symbol("fw.recorded");
  const exchangeOf: ExchangeOf = (message) => (message as { readonly [key]?: RecordedExchange })[key];
  tapResponses(exchangeOf, record);
  tapRequests(exchangeOf);
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
    const { url = "", headers, rawHeaders } = request;
    if (url.startsWith("/_fw/")) return;
    const exchange = new RecordedExchange(url, rawHeaders);
    (response as { [key]?: RecordedExchange })[key] = exchange;
    if (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0")
      (request as { [key]?: RecordedExchange })[key] = exchange;
  });
}

/** Replaces methods of Node's class once, because methods for each response would cost more than the recording. */
function tapResponses(exchangeOf: ExchangeOf, record: (exchange: RecordedExchange) => void): void {
  type Method<Result> = (this: ServerResponse, ...args: readonly unknown[]) => Result;
  const prototype = ServerResponse.prototype as unknown as {
    writeHead: Method<ServerResponse>;
    write: Method<boolean>;
    end: Method<ServerResponse>;
  };
  const { writeHead, write, end } = prototype;
  prototype.writeHead = function (status, reason, headers) {
    const list = headers ?? reason;
    if (Array.isArray(list)) exchangeOf(this)?.begin(list as RawHeaders);
    return writeHead.call(this, status, reason, headers);
  };
  prototype.write = function (chunk, encoding, callback) {
    const exchange = exchangeOf(this);
    if (exchange !== undefined) {
      addChunk(exchange, chunk, encoding);
      // A response that is cut off never ends.
      if (exchange.becomesStream()) this.once("close", () => finish(exchange, this));
    }
    return write.call(this, chunk, encoding, callback);
  };
  prototype.end = function (chunk, encoding, callback) {
    const exchange = exchangeOf(this);
    if (exchange !== undefined) {
      addChunk(exchange, chunk, encoding);
      finish(exchange, this);
    }
    return end.call(this, chunk, encoding, callback);
  };
  const isKept = loadFilter();
  const finish = (exchange: RecordedExchange, { statusCode }: ServerResponse): void => {
    if (exchange.finish() && isKept(statusCode)) record(exchange);
  };
}

function tapRequests(exchangeOf: ExchangeOf): void {
  type Push = (this: IncomingMessage, chunk: Uint8Array | string | null, encoding?: BufferEncoding) => boolean;
  const prototype = IncomingMessage.prototype as { push: Push };
  const { push } = prototype;
  prototype.push = function (chunk, encoding) {
    if (chunk !== null) exchangeOf(this)?.addToRequest(chunk, encoding);
    return push.call(this, chunk, encoding);
  };
}

function addChunk(exchange: RecordedExchange, chunk: unknown, encoding: unknown): void {
  if (typeof chunk === "string" || chunk instanceof Uint8Array)
    exchange.addToResponse(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : undefined);
}
