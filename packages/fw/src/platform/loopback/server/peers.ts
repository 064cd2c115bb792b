import type { Socket } from "node:net";
import { Malformed } from "../../../lib/codec.ts";
import type { Clock } from "../../contract.ts";
import { Peer } from "./peer.ts";

interface Connected {
  readonly peer: Peer;
  readonly sockets: Set<Socket>;
}

/** Who is connected. A connection is one process's, from its first request on. */
export class Peers {
  readonly #clock: Clock;
  readonly #connected = new Map<string, Connected>();
  readonly #names = new WeakMap<Socket, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The process of a service that a connection is of. */
  of(socket: Socket, service: string, instance: string): Peer {
    const name = JSON.stringify([service, instance]);
    const before = this.#names.get(socket);
    if (before !== undefined && before !== name) throw new Malformed("the connection is another process's");
    const connected = this.#connected.get(name) ?? { peer: new Peer(this.#clock), sockets: new Set() };
    this.#connected.set(name, connected);
    if (before === undefined) this.#join(socket, name, connected);
    return connected.peer;
  }

  #join(socket: Socket, name: string, { peer, sockets }: Connected): void {
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
