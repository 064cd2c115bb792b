import { mintCall, openCall, refusedCall } from "../platform/calls.ts";
import { openLoopback } from "../platform/loopback/client.ts";
import { platformAudience } from "../platform/loopback/protocol.ts";
import type { HandlerOptions } from "../runtime/options.ts";

/** What a service is told that runs beside the others on one machine. */
export interface Neighbourhood {
  /** Where the platform that all share is served. */
  readonly platform: string;
  /** With which the tokens of all are signed. */
  readonly key: Uint8Array;
  /** The origins of the services, by name. */
  readonly services: ReadonlyMap<string, string>;
}

/** The identity under which the platform delivers messages and triggers crons. */
export const platformInvoker = "fw-platform";

/** Milliseconds that a token lasts. */
const tokenMs = 60_000;

/** Ends this process with the one that started it: standard input ends then. */
export function endWithParent(): void {
  process.stdin.once("end", () => process.exit(0)).resume();
}

/** The options of a service that shares a platform with its neighbours, calls them and is called by them. */
export function amongNeighbours(
  name: string,
  { platform, key, services }: Neighbourhood,
): Pick<HandlerOptions, "mode" | "platform" | "services" | "callers" | "caller"> {
  const tokenFor = (audience: string): string => mintCall(key, { audience, invoker: name }, Date.now() + tokenMs);
  const fromPlatform = { audience: name, invoker: platformInvoker };
  return {
    mode: "dev",
    platform: openLoopback({ url: platform, token: () => tokenFor(platformAudience) }),
    services: {
      addressOf: (service) => services.get(service) ?? "",
      tokenFor,
    },
    callers: {
      verify(token) {
        const opened = openCall(key, token, name, Date.now());
        return "invoker" in opened && services.has(opened.invoker) ? opened.invoker : undefined;
      },
    },
    caller: {
      ...fromPlatform,
      verify: async (token) => refusedCall(key, token, fromPlatform, Date.now()),
    },
  };
}
