import type { Socket } from "node:net";
import { guardedHandler } from "../../runtime/guarded-handler.ts";
import { serveHanded } from "../../runtime/server.ts";
import { isOwnHost, type OwnHosts } from "../../lib/own-host.ts";
import { LiveEndpoint, livePrefix } from "../live/endpoint.ts";
import type { LiveState } from "../live/state.ts";
import { sendWaitingPage } from "../live/waiting-page.ts";

/** Responds to connections while no application is running. */
export interface Explainer {
  accept(socket: Socket): void;
  publish(state: LiveState): void;
  /** Ends the streams of open pages, which then reconnect. */
  endStreams(): void;
  close(): void;
}

export function createExplainer(hosts: OwnHosts, state: LiveState): Explainer {
  const live = new LiveEndpoint();
  live.publish(state);
  const server = serveHanded(
    guardedHandler({ isOwnHost: (hostHeader) => isOwnHost(hostHeader, hosts) }, (request) => {
      const { path } = request;
      if (path.startsWith(livePrefix)) live.answer(request, path.slice(livePrefix.length));
      else sendWaitingPage(request, live.state);
    }),
  );
  return {
    accept: (socket) => {
      server.accept(socket);
      socket.resume();
    },
    publish: (next) => live.publish(next),
    endStreams: () => live.close(),
    close: () => {
      live.close();
      server.cut();
    },
  };
}
