import type { Bundle } from "../runtime/bundle.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import { settings } from "../runtime/settings.ts";
import { Misconfigured } from "./configuration.ts";
import type { ServicePlatform } from "./platform.ts";

/** What a service has for keeping data, loaded where it keeps some. */
interface LocalParts {
  readonly data?: () => Promise<{
    /** Opens the data of a bundle in a directory. Rejects with a Misconfigured. */
    readonly openData: (directory: string, bundle: Bundle) => Promise<LocalPlatform>;
  }>;
}

/** On its own a service has its data to itself, and the key of its forms with it; beside others it shares their platform. */
export function localService({ data }: LocalParts): ServicePlatform {
  return {
    name: "local",
    async place({ name, bundle, store }) {
      // The latter two are set by who runs all services.
      const { FW_DATA: directory = "", FW_BEHIND: behind, FW_PEERS: peers, FW_SERVED: served } = process.env;
      const own = settings.built(isBehindPlatform(behind) ? "guarded" : "refused");
      if (peers === "stdin") {
        const { amongPeers } = await import("./local/peers.ts");
        return { options: await amongPeers(name, store, served === "true"), supervised: true };
      }
      const platform = await (await data?.())?.openData(directory, bundle);
      return { options: { settings: own, ...(platform && { platform, csrfKey: platform.secret("csrf") }) } };
    },
  };
}

/** True where a platform before the service lets nobody but services of the application to private routes. Throws a Misconfigured. */
function isBehindPlatform(value: string | undefined): boolean {
  if (value === undefined || value === "") return false;
  if (value === "platform") return true;
  throw new Misconfigured(
    `FW_BEHIND is "platform" where one stands before the service that lets only the application's own services to private routes, not ${JSON.stringify(value)}`,
  );
}
