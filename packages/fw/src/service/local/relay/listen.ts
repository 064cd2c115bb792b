import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { drainMs } from "../../../lib/limits.ts";
import type { Handler } from "../../../runtime/handler.ts";
import { frames, FrameWriter, readFrames, type FrameKind } from "./frames.ts";
import { RelayedExchange, type RelayEnd } from "./relayed-exchange.ts";

export interface RelayServerOptions {
  readonly handler: Handler;
  /** Returns true for the front's token. */
  readonly forwards: (token: string) => boolean;
  readonly acceptsUpgrades: boolean;
  /** The time limit for draining, in milliseconds. */
  readonly drainMs?: number;
}

/** Milliseconds to wait for the first frame of a connection while the service stops. */
const helloMs = 1_000;

export interface RelayServer {
  readonly port: number;
  /** Stops listening and refuses new requests. Resolves after the last response, or at the drain's time limit. */
  close(): Promise<void>;
}

/**
 * Listens for the front, which sends many clients' requests over one connection. A service loads this module from a
 * path that the front's process provides, so both ends use the same frames and no bundle contains them.
 */
export async function listenForFront(options: RelayServerOptions): Promise<RelayServer> {
  const connections = new Set<RelayConnection>();
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = new RelayConnection(socket, options);
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { port, close: () => close(server, connections, options.drainMs ?? drainMs) };
}

async function close(server: Server, connections: ReadonlySet<RelayConnection>, ceilingMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const connection of connections) connection.drain();
  const ceiling = setTimeout(() => {
    for (const connection of connections) connection.destroy();
  }, ceilingMs);
  await closed;
  clearTimeout(ceiling);
}

class RelayConnection implements RelayEnd {
  readonly writer: FrameWriter;
  readonly #socket: Socket;
  readonly #options: RelayServerOptions;
  readonly #exchanges = new Map<number, RelayedExchange>();
  #isFront = false;
  isDraining = false;
  readonly acceptsUpgrades: boolean;
  /** True once the front will send no more requests. */
  #hasLeft = false;

  constructor(socket: Socket, options: RelayServerOptions) {
    this.#socket = socket;
    this.#options = options;
    this.acceptsUpgrades = options.acceptsUpgrades;
    this.writer = new FrameWriter(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      for (const exchange of this.#exchanges.values()) exchange.disconnect();
    });
    readFrames(socket, (kind, id, payload) => {
      try {
        this.#take(kind, id, payload);
      } catch (error) {
        // The error belongs to one request. The others continue until the process stops because of it.
        process.nextTick(() => {
          throw error;
        });
      }
    });
  }

  forget(id: number): void {
    this.#exchanges.delete(id);
    if (this.isDraining) this.#endIfIdle();
  }

  drain(): void {
    this.isDraining = true;
    this.writer.signal(frames.leaving, 0);
    for (const exchange of this.#exchanges.values()) exchange.drain();
    if (!this.#isFront) setTimeout(() => (this.#isFront ? undefined : this.destroy()), helloMs).unref();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(kind: FrameKind, id: number, payload: Buffer): void {
    if (!this.#isFront) this.#greet(kind, payload);
    else if (kind === frames.request) this.#begin(id, payload);
    else if (kind === frames.left) {
      this.#hasLeft = true;
      this.#endIfIdle();
    } else this.#exchanges.get(id)?.take(kind, payload);
  }

  #greet(kind: FrameKind, payload: Buffer): void {
    if (kind !== frames.hello || !this.#options.forwards(payload.toString("latin1"))) return this.destroy();
    this.#isFront = true;
    this.writer.signal(this.isDraining ? frames.leaving : frames.welcome, 0);
  }

  #begin(id: number, payload: Buffer): void {
    if (this.isDraining) return this.writer.signal(frames.refuse, id);
    const exchange = new RelayedExchange(this, id, payload);
    this.#exchanges.set(id, exchange);
    this.#options.handler(exchange);
  }

  /** Ends the connection once it is idle and the front has left. Closing it earlier would lose a request in flight. */
  #endIfIdle(): void {
    if (this.#hasLeft && this.#exchanges.size === 0) setImmediate(() => this.#socket.end());
  }
}
