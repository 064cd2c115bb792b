import type { Bundle } from "../runtime/bundle.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import { settings } from "../runtime/settings.ts";
import { localConfigurationOf } from "./local/configuration.ts";
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
      const { directory, peers, served, behindPlatform } = localConfigurationOf(process.env);
      if (peers) {
        const { amongPeers } = await import("./local/peers.ts");
        return { options: await amongPeers(name, store, served), supervised: true };
      }
      const platform = await (await data?.())?.openData(directory, bundle);
      const own = settings.built(behindPlatform ? "guarded" : "refused");
      return { options: { settings: own, ...(platform && { platform, csrfKey: platform.secret("csrf") }) } };
    },
  };
}
