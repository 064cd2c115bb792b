import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RawHeaders } from "../../runtime/exchange/exchange.ts";
import { RecordedExchange } from "./recorded-exchange.ts";

/** Set to "off" in the environment or in `.env`, it stops the recording of headers and bodies. */
const recordingSwitch = "FW_CONSOLE_BODIES";

/**
 * Records the headers and bodies of this process's requests, except those to the framework's endpoints. It listens to
 * Node's own events, so that the runtime, and with it every built service, has no code for it.
 */
export function recordExchanges(record: (exchange: RecordedExchange) => void): void {
  if (process.env[recordingSwitch] === "off") return;
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
    if (request.url !== undefined && !request.url.startsWith("/_fw/")) tap(request, response, record);
  });
}

function tap(request: IncomingMessage, response: ServerResponse, record: (exchange: RecordedExchange) => void): void {
  const exchange = new RecordedExchange(request.url ?? "", request.rawHeaders);
  const { headers } = request;
  if (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0")
    tapRequestBody(request, exchange);
  let isRecorded = false;
  const finish = (): void => {
    if (isRecorded) return;
    isRecorded = true;
    record(exchange);
  };
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    const last = args.at(-1);
    if (Array.isArray(last)) exchange.begin(last as RawHeaders);
    return writeHead(...args);
  };
  response.write = (...args: unknown[]) => {
    addChunk(exchange, args);
    return write(...args);
  };
  response.end = (...args: unknown[]) => {
    addChunk(exchange, args);
    finish();
    return end(...args);
  };
  // An answer that is cut off does not end.
  response.once("close", finish);
}

function tapRequestBody(request: IncomingMessage, { requestBody }: RecordedExchange): void {
  const push = request.push.bind(request);
  request.push = (chunk: Uint8Array | string | null, encoding) => {
    if (chunk !== null) requestBody.add(chunk, encoding);
    return push(chunk, encoding);
  };
}

function addChunk({ responseBody }: RecordedExchange, [chunk, encoding]: readonly unknown[]): void {
  if (typeof chunk === "string" || chunk instanceof Uint8Array)
    responseBody.add(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : undefined);
}
