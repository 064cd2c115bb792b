import { writeSync } from "node:fs";
import { CallSigner } from "../../platform/call-signer.ts";
import { CallVerifier } from "../../platform/call-verifier.ts";
import { openLoopback } from "../../platform/loopback/client.ts";
import { loopbackChanges } from "../../platform/loopback/client/changes.ts";
import { platformIdentity } from "../../platform/loopback/protocol.ts";
import { jobOperation } from "../../runtime/background/start-job.ts";
import { collectEndpoint, type CountedReport } from "../../runtime/observe/metrics/collect.ts";
import type { MetricStore } from "../../runtime/observe/metrics/store.ts";
import type { DevBarState } from "../../runtime/hooks.ts";
import type { HandlerOptions } from "../../runtime/options.ts";
import {
  usesData,
  usesFeeds,
  usesJobHistory,
  usesLive,
  usesMessages,
  usesSockets,
} from "../../runtime/capabilities.ts";
import { settings, type Settings } from "../../runtime/settings.ts";
import { ConfigurationError } from "../configuration.ts";
import type { ServicePlacement, StartedService } from "../platform.ts";
import type { listenForFront as ListenForFront, RelayServer, RelayServerOptions } from "./relay/listen.ts";
import { readPeerConfig, reportDescriptor, type PeerConfig } from "./peer-config.ts";
import type { ServiceDirectory } from "../../runtime/remote/directory.ts";

const emptyBar: DevBarState = { signsIn: false, firing: [] };

/**
 * Returns the handler options that add fw's content to pages or record traces. Built services do not contain the code
 * for them.
 */
export type LocalPages = (
  barState: () => DevBarState,
) => Pick<HandlerOptions, "decorate" | "injected" | "watcher" | "follow">;

interface Joining extends Pick<StartedService, "name" | "stopping"> {
  readonly store: MetricStore;
  /** True under `fw serve`. */
  readonly isServed: boolean;
}

/** Places a service that shares a platform with its peers. Their parent process forwards clients' requests. */
export async function joinPeers({ name, stopping, store, isServed }: Joining): Promise<ServicePlacement> {
  const state = await readPeerConfig();
  const { platform, key, callers: publicKeys, services: origins, relay, pages } = state.config;
  const callers = new CallVerifier(name, publicKeys);
  const signer = new CallSigner(name, key);
  const services = new PeerDirectory(signer, origins);
  state.onChange = (next) => {
    callers.trust(next.callers);
    services.replace(next.services);
    if (next.stopping) stopping.abort(new Error("the services are stopping"));
  };
  const { injected, ...observers } = await localPages(pages?.module, () => state.config.pages?.bar ?? emptyBar);
  return {
    options: {
      settings: isServed ? servedSettings(process.env["FW_SOCIAL"]) : settings.services,
      ...(usesData && {
        platform: openLoopback(
          { url: platform, token: () => signer.tokenFor(platformIdentity) },
          usesFeeds || usesLive || usesJobHistory ? loopbackChanges : undefined,
        ),
      }),
      services,
      admission: { calls: (token) => "invoker" in callers.open(token, Date.now()) },
      callers: {
        verify(token) {
          const call = callers.open(token, Date.now());
          return "invoker" in call && call.invoker !== platformIdentity ? call.invoker : undefined;
        },
      },
      caller: {
        audience: name,
        invoker: platformIdentity,
        keepsFailureReasons: true,
        verify: async (token) => refusalOf(callers, token),
      },
      ...observers,
      injected: { ...(usesMessages && jobOperation), ...collectEndpoint(store, reportLast), ...injected },
    },
    supervised: true,
    listenForFront: (handler) =>
      listenWith(relay, {
        handler,
        forwards: (token) => refusalOf(callers, token) === undefined,
        acceptsUpgrades: usesSockets,
      }),
  };
}

/** Returns why a token is not the platform's; undefined if it is. */
function refusalOf(callers: CallVerifier, token: string): string | undefined {
  return callers.refusal(token, platformIdentity, Date.now());
}

/** Returns the settings of a service under `fw serve`, with the host of its social provider. */
function servedSettings(socialHost: string | undefined): Settings {
  return { ...settings.served, ...(socialHost !== undefined && { socialHost }) };
}

async function localPages(module: string | undefined, barState: () => DevBarState): Promise<ReturnType<LocalPages>> {
  if (module === undefined) return {};
  return ((await import(module)) as { readonly localPages: LocalPages }).localPages(barState);
}

/** Listens for the front with the module that the front's process provides. */
async function listenWith(module: string | undefined, options: RelayServerOptions): Promise<RelayServer> {
  if (module === undefined)
    throw new ConfigurationError("an earlier version of fw runs this service: run it with the version that built it");
  const { listenForFront } = (await import(module)) as { readonly listenForFront: typeof ListenForFront };
  return listenForFront(options);
}

/** Writes the final metrics of this process when it exits. Ignores errors because the reader may have exited first. */
function reportLast(report: CountedReport): void {
  try {
    writeSync(reportDescriptor, `${JSON.stringify(report)}\n`);
  } catch {
    return;
  }
}

type Services = PeerConfig["services"];

/** The addresses of the services that this one may call, from the latest configuration. */
class PeerDirectory implements ServiceDirectory {
  readonly #signer: CallSigner;
  #services: Services;
  #waiting: (() => void)[] = [];

  constructor(signer: CallSigner, services: Services) {
    this.#signer = signer;
    this.#services = services;
  }

  replace(services: Services): void {
    this.#services = services;
    for (const retry of this.#waiting.splice(0)) retry();
  }

  /** Returns the address of a service, after waiting for the service to start if necessary. */
  async addressOf(service: string): Promise<string> {
    for (;;) {
      const origin = this.#services[service];
      if (origin === undefined)
        throw new Error(
          `this service has no grant to call the service ${service}: fw derives grants from the code of a service and found no such call`,
        );
      if (origin !== "") return origin;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  tokenFor(service: string): string {
    return this.#signer.tokenFor(service);
  }
}
