import { CallSigner } from "../platform/call-signer.ts";
import { CallVerifier } from "../platform/call-verifier.ts";
import { openLoopback } from "../platform/loopback/client.ts";
import { platformIdentity } from "../platform/loopback/protocol.ts";
import { jobOperation } from "../runtime/background/start-job.ts";
import { collectEndpoint } from "../runtime/observe/metrics/collect.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { settings } from "../runtime/settings.ts";
import { PeerDirectory } from "./directory.ts";
import { readPeerConfig } from "./peer-config.ts";

/** What documents have where they are worked on, and no service that was built has itself. */
export type LocalPages = Pick<HandlerOptions, "decorate" | "injected">;

type PeerOptions = Pick<
  HandlerOptions,
  "settings" | "platform" | "services" | "callers" | "caller" | "admission" | "stopping" | keyof LocalPages
>;

/** The options of a service that shares a platform with its peers, calls them and is called by them. */
export async function amongPeers(name: string, store: MetricStore): Promise<PeerOptions> {
  const told = await readPeerConfig();
  const { platform, key, callers: publicKeys, services: origins, pages } = told.config;
  const callers = new CallVerifier(name, publicKeys);
  const signer = new CallSigner(name, key);
  const services = new PeerDirectory(signer, origins);
  const stopping = new AbortController();
  told.changed = (next) => {
    callers.trust(next.callers);
    services.replace(next.services);
    if (next.stopping) stopping.abort(new Error("the services are stopping"));
  };
  const isPlatform = (token: string): boolean => callers.refusal(token, platformIdentity, Date.now()) === undefined;
  const { decorate, injected } = await localPages(pages);
  return {
    settings: settings.services,
    platform: openLoopback({ url: platform, token: () => signer.tokenFor(platformIdentity) }),
    services,
    admission: { forwards: isPlatform, calls: (token) => "invoker" in callers.open(token, Date.now()) },
    stopping: stopping.signal,
    callers: {
      verify(token) {
        const opened = callers.open(token, Date.now());
        return "invoker" in opened && opened.invoker !== platformIdentity ? opened.invoker : undefined;
      },
    },
    caller: {
      audience: name,
      invoker: platformIdentity,
      hearsReasons: true,
      verify: async (token) => callers.refusal(token, platformIdentity, Date.now()),
    },
    ...(decorate && { decorate }),
    injected: { ...jobOperation, ...collectEndpoint(store), ...injected },
  };
}

async function localPages(url: string | undefined): Promise<LocalPages> {
  return url === undefined ? {} : ((await import(url)) as { readonly localPages: LocalPages }).localPages;
}
