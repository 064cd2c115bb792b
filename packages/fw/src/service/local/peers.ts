import { writeSync } from "node:fs";
import { CallSigner } from "../../platform/call-signer.ts";
import { CallVerifier } from "../../platform/call-verifier.ts";
import { openLoopback } from "../../platform/loopback/client.ts";
import { platformIdentity } from "../../platform/loopback/protocol.ts";
import { jobOperation } from "../../runtime/background/start-job.ts";
import { collectEndpoint, type CountedReport } from "../../runtime/observe/metrics/collect.ts";
import type { MetricStore } from "../../runtime/observe/metrics/store.ts";
import type { Shown } from "../../runtime/hooks.ts";
import type { HandlerOptions } from "../../runtime/options.ts";
import { settings } from "../../runtime/settings.ts";
import type { Placing } from "../platform.ts";
import { PeerDirectory } from "./directory.ts";
import { readPeerConfig, reportsTo } from "./peer-config.ts";

const nothingShown: Shown = { signsIn: false, firing: [] };

/** What documents have where they are worked on, and no service that was built has itself. */
export type LocalPages = (shown: () => Shown) => Pick<HandlerOptions, "decorate" | "injected" | "watcher">;

/** The options of a service that shares a platform with its peers, calls them and is called by them. */
export async function amongPeers(name: string, store: MetricStore, served: boolean): Promise<Placing["options"]> {
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
  const { decorate, injected, watcher } = await localPages(
    pages?.module,
    () => told.config.pages?.shown ?? nothingShown,
  );
  return {
    settings: served ? settings.served : settings.services,
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
      keepsFailureReasons: true,
      verify: async (token) => callers.refusal(token, platformIdentity, Date.now()),
    },
    ...(decorate && { decorate }),
    ...(watcher && { watcher }),
    injected: { ...jobOperation, ...collectEndpoint(store, tellLast), ...injected },
  };
}

async function localPages(module: string | undefined, shown: () => Shown): Promise<ReturnType<LocalPages>> {
  if (module === undefined) return {};
  return ((await import(module)) as { readonly localPages: LocalPages }).localPages(shown);
}

/** Says what this process counted, at its end. Who would hear it may be gone. */
function tellLast(report: CountedReport): void {
  try {
    writeSync(reportsTo, `${JSON.stringify(report)}\n`);
  } catch {
    return;
  }
}
