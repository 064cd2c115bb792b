import { UnderWay } from "../lib/under-way.ts";
import type { App } from "../model/app.ts";
import * as names from "../platform/gcp/names.ts";
import { lineSink, readableLine } from "../runtime/observe/log-line.ts";
import type { Request } from "../runtime/request.ts";
import type { RunningServer } from "../runtime/server.ts";
import { openFront, type FrontOptions } from "../topology/front.ts";
import { Forwarder } from "../topology/forward.ts";
import type { ForwardedTo } from "../topology/forwarding.ts";
import type { Release } from "../topology/release.ts";
import { Router } from "../topology/router.ts";
import { refuse } from "../runtime/response/error.ts";
import { forwardedHeader } from "../runtime/access/trusted-proxy.ts";
import { messages } from "../runtime/error-messages.ts";
import type { RehearsedApp } from "./rehearsed-app.ts";

export interface RehearsalFront extends Pick<FrontOptions, "listens" | "isOwnHost"> {
  readonly app: App;
  readonly releases: readonly Pick<Release, "name" | "site">[];
  /** Returns the body of a sign-in request as its service should receive it. */
  readonly signIn: (request: Request) => Promise<Buffer>;
  readonly line: (line: string) => void;
}

/** A running front. Callers can wait for its requests while it stops. */
export interface RunningFront extends RunningServer {
  /** Resolves when no request is in flight; does not wait for sockets. */
  readonly idle: () => Promise<void>;
}

/**
 * Opens one port in front of all services, which have separate addresses in the cloud. Forwards each request to its
 * service through the fake cloud, with the service's own Host header.
 */
export async function openRehearsalFront(deployed: RehearsedApp, options: RehearsalFront): Promise<RunningFront> {
  const { app, releases, signIn, line, ...listening } = options;
  const router = new Router({
    app,
    releases,
    admin: { answer: () => undefined },
    isCommand: () => false,
    scrape: async (request) => refuse(request, { status: 404, message: messages.notFound }),
  });
  const underWay = new UnderWay();
  const port = Number(new URL(deployed.cloud.url).port);
  const cloud = {
    ready: Promise.resolve(),
    hasFailed: false,
    use: <T>(work: (port: number) => Promise<T>) => underWay.use(() => work(port)),
  };
  const server = await openFront({
    ...listening,
    log: lineSink(readableLine, line),
    targetOf: (request) => router.of(request),
    forwarder: new Forwarder({
      poolOf: () => cloud,
      unavailable: (service) => `the service ${service} is not running; see the output of fw dev`,
      // Cloud Run forwards requests itself, so they need no token of this process.
      signature: () => [forwardedHeader, ""],
      dress: (service, headers) => withServiceOrigin(names.serviceUrl(deployed.place, service), headers),
    }),
    prepare: async (request, to): Promise<ForwardedTo> =>
      isSignIn(request) ? { ...to, body: await signIn(request) } : to,
  });
  return { ...server, idle: () => underWay.idle };
}

function isSignIn({ path, exchange }: Request): boolean {
  return path === "/_fw/api/session" && exchange.method === "POST";
}

/**
 * Replaces this machine's host and origin in the headers with the service's, because pages post to their own origin.
 */
function withServiceOrigin(url: string, headers: readonly string[]): readonly string[] {
  const { host } = new URL(url);
  const nameOf = (i: number): string => (headers[i - 1] ?? "").toLowerCase();
  const hostIndex = headers.findIndex((_, i) => i % 2 === 1 && nameOf(i) === "host");
  const here = `http://${headers[hostIndex] ?? ""}`;
  return headers.flatMap((text, i) => {
    if (i % 2 === 0) return [text];
    if (nameOf(i) === "host") return [host];
    if (nameOf(i) === "origin" && text === here) return [url];
    return [nameOf(i) === "referer" ? text.replace(here, url) : text];
  });
}
