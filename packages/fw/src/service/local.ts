import type { Bundle } from "../runtime/bundle.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import { settings } from "../runtime/settings.ts";
import { ConfigurationError } from "./configuration.ts";
import type { ServicePlatform } from "./platform.ts";

/** Optional parts of a service, imported only if it uses them. */
interface LocalParts {
  readonly data?: () => Promise<{
    /**
     * Opens the data of a bundle in a directory. Rejects with a ConfigurationError for what an operator can correct.
     */
    readonly openData: (directory: string, bundle: Bundle) => Promise<LocalPlatform>;
  }>;
}

/**
 * Returns the local platform of a service. A standalone service has its own data and form key; services with peers
 * share them.
 */
export function localService({ data }: LocalParts): ServicePlatform {
  return {
    name: "local",
    async place({ name, bundle, stopping, openStore }) {
      // The process that runs all services sets FW_PEERS and FW_SERVED.
      const { FW_DATA: directory = "", FW_BEHIND: behind, FW_PEERS: peers, FW_SERVED: isServed } = process.env;
      const standalone = settings.built(isBehindPlatform(behind) ? "guarded" : "refused");
      if (peers === "stdin") {
        const { joinPeers } = await import("./local/peers.ts");
        return joinPeers({ name, stopping, store: await openStore(), isServed: isServed === "true" });
      }
      const platform = await (await data?.())?.openData(directory, bundle);
      return { options: { settings: standalone, ...(platform && { platform, csrfKey: platform.secret("csrf") }) } };
    },
  };
}

/**
 * True if a platform in front of the service admits only services of the application to private routes. Throws a
 * ConfigurationError for an unknown value.
 */
function isBehindPlatform(value: string | undefined): boolean {
  if (value === undefined || value === "") return false;
  if (value === "platform") return true;
  throw new ConfigurationError(
    `FW_BEHIND must be "platform", for a platform that lets only the application's own services call private routes, or unset, not ${JSON.stringify(value)}`,
  );
}
