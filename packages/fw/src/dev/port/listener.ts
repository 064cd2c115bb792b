import { createServer, type AddressInfo, type Socket } from "node:net";
import type { OwnHosts } from "../../lib/own-host.ts";
import type { Target } from "../app/process.ts";
import { initialState, type LiveState } from "../live/state.ts";
import type { Explainer } from "./explainer.ts";

/**
 * Owns the port: passes connections to the application, queues them, or responds with the reason why no application is
 * running.
 */
export interface Listener {
  readonly address: AddressInfo;
  /** Sets where connections go, and sends the queued ones there. */
  route(to: Direction): void;
  publish(state: LiveState): void;
  close(): void;
}

type Direction = "wait" | "explain" | Target;

/** The maximum number of connections to queue while the application starts; further ones are closed. */
const maxWaiting = 2_000;

export async function listen(port: number, hosts: OwnHosts): Promise<Listener> {
  let state: LiveState = initialState;
  let explainer: Promise<Explainer> | undefined;
  let isClosed = false;
  const waiting: Socket[] = [];
  let direction: Direction = "wait";

  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    void accept(socket);
  });

  async function accept(socket: Socket): Promise<void> {
    const to: Direction = direction;
    if (to === "explain") return explain(socket);
    if (to !== "wait") {
      if (await to(socket)) return;
      if (current() !== to) return accept(socket);
    }
    if (waiting.length < maxWaiting) waiting.push(socket);
    else socket.destroy();
  }

  function current(): Direction {
    return direction;
  }

  /** Passes a connection to the explainer, loaded on demand because most applications run without interruption. */
  async function explain(socket: Socket): Promise<void> {
    explainer ??= import("./explainer.ts").then(({ createExplainer }) => createExplainer(hosts, state));
    const loaded = await explainer;
    if (isClosed) socket.destroy();
    if (current() !== "explain") return accept(socket);
    if (!socket.destroyed) loaded.accept(socket);
  }

  function route(to: Direction): void {
    direction = to;
    if (to === "wait") return;
    // Pages that show errors reconnect, and then reach the application.
    if (to !== "explain") void explainer?.then((loaded) => loaded.endStreams());
    for (const socket of waiting.splice(0)) if (!socket.destroyed) void accept(socket);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hosts.listensOn, resolve);
  });
  return {
    address: server.address() as AddressInfo,
    route,
    publish: (newState) => {
      state = newState;
      void explainer?.then((loaded) => loaded.publish(newState));
    },
    close: () => {
      isClosed = true;
      server.close();
      void explainer?.then((loaded) => loaded.close());
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
}
