import { text } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { StatusError } from "../declare/errors.ts";
import { recordIn } from "../lib/record-in.ts";
import { parseJSON } from "../runtime/body/json.ts";
import type { BundledEndpoint, CallCodec, MessageCodec } from "../runtime/bundle.ts";
import type { SocketEnd, TestSocket } from "./test-socket.ts";

/** Signals that the connection has ended and all its messages have been read. */
class SocketEnded extends Error implements SocketEnd {
  readonly code: number;
  readonly reason: string;

  constructor({ code, reason }: SocketEnd) {
    super(`the connection ended with ${code}${reason === "" ? "" : `: ${reason}`}`);
    this.name = "SocketEnded";
    this.code = code;
    this.reason = reason;
  }
}

/** Opens a socket. Rejects with a StatusError if the application refuses it. */
export async function openSocket(
  { socket: codecs }: BundledEndpoint,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<TestSocket<unknown, unknown>> {
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  const client = new ClientSocket(socket, codecs?.visitor as MessageCodec);
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.on("error", reject);
    socket.once("unexpected-response", (_request, answer: IncomingMessage) => {
      readRefusal(answer).then(reject, reject);
    });
  });
  return client;
}

/** Encodes a request as a client sends it: the path with its query, the headers, and the Cookie header. */
export function requestOf(
  { call }: BundledEndpoint,
  request: unknown,
): { readonly path: string; readonly fields: Record<string, string>; readonly cookies: string } {
  const { path, fields: text = "" } = (call as CallCodec).encode(request as never);
  const fields: Record<string, string> = {};
  const cookies: string[] = [];
  for (const [key, value] of new URLSearchParams(text)) {
    const name = key.slice(key.indexOf(" ") + 1);
    if (key.startsWith("cookie ")) cookies.push(`${name}=${encodeURIComponent(value)}`);
    else fields[name] = name in fields ? `${fields[name]}, ${value}` : value;
  }
  return { path, fields, cookies: cookies.join("; ") };
}

async function readRefusal(answer: IncomingMessage): Promise<StatusError> {
  const body = await text(answer);
  const { error } = recordIn(body) ?? {};
  return new StatusError(answer.statusCode ?? 0, typeof error === "string" ? error : body);
}

class ClientSocket implements TestSocket<unknown, unknown> {
  readonly closed: Promise<SocketEnd>;
  readonly #socket: WebSocket;
  readonly #codec: MessageCodec;
  readonly #received: Buffer[] = [];
  #readers: (() => void)[] = [];
  #end: SocketEnd | undefined;

  constructor(socket: WebSocket, codec: MessageCodec) {
    this.#socket = socket;
    this.#codec = codec;
    socket.on("message", (data) => {
      this.#received.push(data as Buffer);
      this.#wake();
    });
    this.closed = new Promise((resolve) =>
      socket.once("close", (code, reason) => {
        this.#end = { code, reason: reason.toString() };
        resolve(this.#end);
        this.#wake();
      }),
    );
  }

  async send(message: unknown): Promise<void> {
    const { encode } = this.#codec;
    const text = encode === undefined ? JSON.stringify(message) : encode(message);
    if (this.#end !== undefined) throw new SocketEnded(this.#end);
    await new Promise<void>((resolve) => this.#socket.send(text, () => resolve()));
  }

  async receive(): Promise<unknown> {
    for (;;) {
      const bytes = this.#received.shift();
      if (bytes !== undefined) return this.#codec.decode(parseJSON(bytes, this.#codec.exactIntegers));
      if (this.#end !== undefined) throw new SocketEnded(this.#end);
      await new Promise<void>((resolve) => this.#readers.push(resolve));
    }
  }

  close(code?: number, reason?: string): Promise<SocketEnd> {
    this.#socket.close(code, reason);
    return this.closed;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    for (;;) {
      try {
        yield await this.receive();
      } catch (error) {
        if (error instanceof SocketEnded && error.code === 1000) return;
        throw error;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #wake(): void {
    for (const wake of this.#readers.splice(0)) wake();
  }
}
