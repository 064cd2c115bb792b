import { UnderWay } from "../lib/under-way.ts";
import type { App } from "../model/app.ts";
import * as names from "../platform/gcp/names.ts";
import { lineSink, readableLine } from "../runtime/observe/log-line.ts";
import type { Request } from "../runtime/request.ts";
import type { RunningServer } from "../runtime/server.ts";
import { openFront, type FrontOptions } from "../topology/front.ts";
import type { ForwardedTo } from "../topology/forward.ts";
import type { Release } from "../topology/release.ts";
import { Router } from "../topology/router.ts";
import { refuse } from "../runtime/response/error.ts";
import { messages } from "../runtime/error-messages.ts";
import type { Deployed } from "./deployed.ts";

export interface RehearsalFront extends Pick<FrontOptions, "listens" | "isOwnHost"> {
  readonly app: App;
  /** The services with the directories of their sites. */
  readonly releases: readonly Pick<Release, "name" | "site">[];
  /** The body of a request to sign in, as its service gets it. */
  readonly signIn: (request: Request) => Promise<Buffer>;
  readonly line: (line: string) => void;
}

/** What the front is while it stops, too. */
export interface RunningFront extends RunningServer {
  /** Resolves when services have answered what they were asked; who has a socket is not waited for. */
  readonly answered: () => Promise<void>;
}

/**
 * One port before all services of an application, which in the cloud have an address each: a request goes to the service that answers
 * it, by way of the cloud, which sees the service's own host.
 */
export async function openRehearsalFront(deployed: Deployed, options: RehearsalFront): Promise<RunningFront> {
  const { app, releases, signIn, line, ...listening } = options;
  const router = new Router({
    app,
    releases,
    admin: { answer: () => undefined },
    isCommand: () => false,
    scraped: async (request) => refuse(request, { status: 404, message: messages.notFound }),
  });
  const underWay = new UnderWay();
  const cloud = {
    port: Number(new URL(deployed.cloud.url).port),
    ready: Promise.resolve(),
    hasFailed: false,
    use: <T>(work: () => Promise<T>) => underWay.use(work),
  };
  const server = await openFront({
    ...listening,
    log: lineSink(readableLine, line),
    targetOf: (request) => router.of(request),
    processOf: () => cloud,
    unavailable: (service) => `the service ${service} does not run; what fw dev wrote says why`,
    // Cloud Run hands requests on, and not this process.
    tokenFor: () => "",
    dress: (service, headers) => dressed(names.serviceUrl(deployed.place, service), headers),
    prepare: async (request, to): Promise<ForwardedTo> =>
      isSignIn(request) ? { ...to, body: await signIn(request) } : to,
  });
  return { ...server, answered: () => underWay.idle };
}

function isSignIn({ path, exchange }: Request): boolean {
  return path === "/_fw/api/session" && exchange.method === "POST";
}

/** What names this machine names the service: a page of the application posts to its own origin. */
function dressed(url: string, headers: readonly string[]): readonly string[] {
  const { host } = new URL(url);
  const nameOf = (i: number): string => (headers[i - 1] ?? "").toLowerCase();
  const given = headers.findIndex((_, i) => i % 2 === 1 && nameOf(i) === "host");
  const here = `http://${headers[given] ?? ""}`;
  return headers.flatMap((text, i) => {
    if (i % 2 === 0) return [text];
    if (nameOf(i) === "host") return [host];
    if (nameOf(i) === "origin" && text === here) return [url];
    return [nameOf(i) === "referer" ? text.replace(here, url) : text];
  });
}
