import { createServer, type AddressInfo, type Socket } from "node:net";
import { guardedHandler } from "../../runtime/guarded-handler.ts";
import { serveHanded } from "../../runtime/server.ts";
import type { Target } from "../app/process.ts";
import { LiveEndpoint, livePrefix } from "../live/endpoint.ts";
import type { LiveState } from "../live/state.ts";
import { sendWaitingPage } from "../live/waiting-page.ts";
import { isOwnHost, type OwnHosts } from "../../lib/own-host.ts";

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

/** The most connections to queue while the application starts; more are closed. */
const maxWaiting = 2_000;

export async function listen(port: number, hosts: OwnHosts): Promise<Listener> {
  const live = new LiveEndpoint();
  const explaining = serveHanded(
    guardedHandler({ isOwnHost: (hostHeader) => isOwnHost(hostHeader, hosts) }, (request) => {
      const { path } = request;
      if (path.startsWith(livePrefix)) live.answer(request, path.slice(livePrefix.length));
      else sendWaitingPage(request, live.state);
    }),
  );
  const waiting: Socket[] = [];
  let direction: Direction = "wait";

  const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    void accept(socket);
  });

  async function accept(socket: Socket): Promise<void> {
    const to: Direction = direction;
    if (to === "explain") return answerHere(socket);
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

  function answerHere(socket: Socket): void {
    explaining.accept(socket);
    socket.resume();
  }

  function route(to: Direction): void {
    direction = to;
    if (to === "wait") return;
    // Pages that show errors reconnect, and then reach the application.
    if (to !== "explain") live.close();
    for (const socket of waiting.splice(0)) if (!socket.destroyed) void accept(socket);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hosts.listensOn, resolve);
  });
  return {
    address: server.address() as AddressInfo,
    route,
    publish: (next) => live.publish(next),
    close: () => {
      server.close();
      live.close();
      explaining.cut();
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
}
