import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { list, listAt, Malformed, optional } from "../../lib/codec.ts";
import { pulled } from "../../lib/pulled.ts";
import { decodeUntrusted, encodeTagged } from "../../lib/tagged-json.ts";
import type { CallVerifier } from "../call-verifier.ts";
import { key } from "../codecs.ts";
import type { Clock, Key, Platform } from "../contract.ts";
import { isPlatformError, PlatformError } from "../errors.ts";
import { type AccessRequest, type PlatformGrant, isGranted } from "../grants.ts";
import { argumentsHeader, type Failure, instanceHeader } from "./protocol.ts";
import { ChangeStream } from "./server/changes.ts";
import { carryOut, Download } from "./server/operation.ts";
import { operations } from "./server/operations.ts";
import { Peer } from "./server/peer.ts";

export interface LoopbackOptions {
  /** Verifies services' tokens, whose audience is `platformIdentity`. */
  readonly callers: CallVerifier;
  /** Opens a port on 127.0.0.1 without request timeouts, because uploads and downloads may be slow. */
  readonly listen: (answer: Answer) => Promise<Listening>;
  /** Returns the grants of a service; undefined allows everything, as does omitting the function. */
  readonly grants?: (service: string) => readonly PlatformGrant[] | undefined;
  /**
   * Returns the platform for a caller; undefined refuses the call. `definitions` names the definitions that the caller
   * was built with, if its URL has a name; the platform must use them. By default, all callers share one platform.
   */
  readonly platformOf?: (service: string, definitions: string | undefined) => Platform | undefined;
  /** Called for each refused call, and for each failed call with its error. */
  readonly log: (sentence: string, error?: unknown) => void;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Listening {
  readonly port: number;
  /** Closes all connections once their responses are sent. */
  readonly close: () => Promise<void>;
}

/** A platform that other processes of this machine can use. */
export interface Loopback {
  readonly url: string;
  /** Closes all connections once the calls in progress have been answered. The platform stays open. */
  close(): Promise<void>;
}

/** Returns the platform's URL for callers that were built with the definitions of this name. */
export function urlBuiltWith(url: string, name: string): string {
  return `${url}/built/${name}`;
}

/** Serves a platform to processes of this machine that have a service's token. */
export async function serveLoopback(platform: Platform, options: LoopbackOptions): Promise<Loopback> {
  const answers = new Answers(platform, options);
  const { port, close } = await options.listen((request, response) => {
    response.sendDate = false;
    return answers.answer(request, response);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      answers.cutStreams();
      return close();
    },
  };
}

class Answers {
  readonly #platform: Platform;
  readonly #options: LoopbackOptions;
  readonly #log: (sentence: string, error?: unknown) => void;
  readonly #peers: Peers;
  readonly #streaming = new Set<Socket>();

  constructor(platform: Platform, options: LoopbackOptions) {
    this.#platform = platform;
    this.#options = options;
    this.#log = options.log;
    this.#peers = new Peers(platform.clock);
  }

  /** Responds to a request. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const result = await this.#result(request);
      if (result instanceof Download || result instanceof ChangeStream) this.#streaming.add(request.socket);
      await sendResult(response, result);
    } catch (error) {
      if (!request.socket.destroyed) this.#fail(response, error);
    } finally {
      this.#streaming.delete(request.socket);
    }
  }

  /** Closes the connections that transfer an object's bytes or report changes. */
  cutStreams(): void {
    for (const socket of this.#streaming) socket.destroy();
  }

  async #result(request: IncomingMessage): Promise<unknown> {
    const service = serviceOf(request, this.#options.callers, Date.now());
    const peer = this.#peers.of(request.socket, service, String(request.headers[instanceHeader] ?? ""));
    const [, name, path = ""] = /^(?:\/built\/(\w+))?(\/.*)$/s.exec(request.url ?? "") ?? [];
    const operation = request.method === "POST" ? operations.get(path) : undefined;
    const { platformOf } = this.#options;
    const platform = platformOf === undefined ? this.#platform : platformOf(service, name);
    if (operation === undefined || platform === undefined) throw new Malformed("unknown operation");
    return carryOut(operation, await argumentsOf(request), {
      platform,
      peer,
      allow: (asked) => this.#allow(service, asked),
      body: () => {
        this.#streaming.add(request.socket);
        return streamOf(request);
      },
    });
  }

  #allow(service: string, requests: readonly AccessRequest[]): void {
    const grants = this.#options.grants?.(service);
    if (grants !== undefined) checkGrants(service, grants, requests);
  }

  #fail(response: ServerResponse, error: unknown): void {
    const expected = sendFailure(response, error);
    if (!expected) this.#log("a call to the platform failed", error);
    else if (isPlatformError(error, "denied")) this.#log(error.message);
  }
}

export async function sendResult(response: ServerResponse, result: unknown): Promise<void> {
  if (result instanceof ChangeStream) return sendChanges(response, result);
  if (!(result instanceof Download)) return sendText(response, 200, encodeTagged(result));
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": result.bytes });
  // A failure closes the connection, which the reader notices. A reader that disconnects is not a failure.
  await pipeline(Readable.fromWeb(result.stream as Parameters<typeof Readable.fromWeb>[0]), response).catch(() => {});
}

const notification = optional(list(key));

/**
 * Sends a line for each notification until the connection closes. A slow reader gets a single line for all
 * notifications that it missed.
 */
async function sendChanges(response: ServerResponse, { watch }: ChangeStream): Promise<void> {
  // The response's "close" event has already fired.
  if (response.destroyed) return;
  const ending = new AbortController();
  let hasMissed = false;
  const send = (keys: readonly Key[] | undefined): void => {
    if (response.writableNeedDrain) hasMissed = true;
    else response.write(`${encodeTagged(notification.write(keys && [...keys]))}\n`);
  };
  response.on("drain", () => {
    if (!hasMissed) return;
    hasMissed = false;
    send(undefined);
  });
  response.writeHead(200, { "content-type": "application/jsonl" });
  watch(send, ending.signal);
  send(undefined);
  await new Promise<void>((resolve) => response.once("close", resolve));
  ending.abort();
}

/** Sends a failure. Returns true if the caller may have caused it. */
function sendFailure(response: ServerResponse, error: unknown): boolean {
  const { status, failure } = failureOf(error);
  sendText(response, status, JSON.stringify(failure));
  return status !== 500;
}

function failureOf(error: unknown): { readonly status: number; readonly failure: Failure } {
  if (error instanceof PlatformError) {
    const { code, message, subject } = error;
    return {
      status: code === "denied" ? 403 : 409,
      failure: { code, message, ...(subject !== undefined && { subject }) },
    };
  }
  if (error instanceof Malformed) return { status: 400, failure: { message: error.message } };
  return { status: 500, failure: { message: "the platform failed; its log says why" } };
}

function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

/** Limit: bytes in one call to a platform in another process, excluding objects. */
const loopbackBytes = 64 * 1024 * 1024;

/** Limit: values in one call to a platform in another process. */
const loopbackValues = 4_000_000;

/** Reads the arguments from the body, or from a header if the body is an object's bytes. */
async function argumentsOf(request: IncomingMessage): Promise<readonly unknown[]> {
  const header = request.headers[argumentsHeader];
  const text = typeof header === "string" ? Buffer.from(header, "base64url").toString() : await textOf(request);
  return listAt(decodeArgs(text), "the arguments");
}

/** Streams the body. Canceling the stream keeps the connection open for the response. */
function streamOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  if (request.headers[argumentsHeader] === undefined) throw new Malformed("the bytes of an object are missing");
  return pulled(request.iterator({ destroyOnReturn: false }));
}

function decodeArgs(text: string): unknown {
  try {
    return decodeUntrusted(text, loopbackValues);
  } catch {
    throw new Malformed("the arguments are not readable");
  }
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > loopbackBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.on("end", () => resolve(Buffer.concat(chunks).toString()));
    request.on("error", reject);
  });
}

function tooLarge(): PlatformError {
  return new PlatformError("too-large", `a request to the platform is limited to ${loopbackBytes} bytes`);
}

interface PeerConnections {
  readonly peer: Peer;
  readonly sockets: Set<Socket>;
}

/** The connected processes. A connection belongs to one process from its first request onward. */
class Peers {
  readonly #clock: Clock;
  readonly #connected = new Map<string, PeerConnections>();
  readonly #names = new WeakMap<Socket, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(socket: Socket, service: string, instance: string): Peer {
    const name = JSON.stringify([service, instance]);
    const before = this.#names.get(socket);
    if (before !== undefined && before !== name) throw new Malformed("the connection belongs to another process");
    const connected = this.#connected.get(name) ?? { peer: new Peer(this.#clock), sockets: new Set() };
    this.#connected.set(name, connected);
    if (before === undefined) this.#join(socket, name, connected);
    return connected.peer;
  }

  #join(socket: Socket, name: string, { peer, sockets }: PeerConnections): void {
    this.#names.set(socket, name);
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      peer.end();
      this.#connected.delete(name);
    });
  }
}

/** Returns the service identified by the caller's token; fails with `denied` if the token is invalid. */
function serviceOf(request: IncomingMessage, callers: CallVerifier, now: number): string {
  const [, token = ""] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  const opened = callers.open(token, now);
  if ("invoker" in opened) return opened.invoker;
  throw new PlatformError("denied", `the platform refused a call: ${opened.refused}`);
}

/** Checks that the service's grants cover all requests. Otherwise throws a PlatformError `denied`. */
function checkGrants(service: string, grants: readonly PlatformGrant[], requests: readonly AccessRequest[]): void {
  const missing = requests.find((ask) => !isGranted(grants, ask));
  if (missing === undefined) return;
  const { kind, name, asks } = missing;
  throw new PlatformError(
    "denied",
    `the service ${service} has no grant for "${asks}" of ${kind}${name === "" ? "" : ` "${name}"`}: fw derives grants from the code that a service can reach, and found no such use there`,
  );
}
