import type { Socket } from "node:net";
import { Malformed } from "../../../lib/codec.ts";
import type { Clock } from "../../contract.ts";
import { Peer } from "./peer.ts";

interface PeerConnections {
  readonly peer: Peer;
  readonly sockets: Set<Socket>;
}

/** The connected processes. A connection belongs to one process from its first request on. */
export class Peers {
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
