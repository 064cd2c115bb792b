import type { App } from "../model/app.ts";
import { servicesOf } from "../model/services.ts";
import type { EntryUses } from "../model/uses.ts";
import { userAccess } from "../model/user-access.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { manifestOf, type Manifest } from "./manifest.ts";
import type { BuildPlatform } from "./platform.ts";
import { entriesApp } from "./service-app.ts";

/** Returns the manifest before bundling: without the secrets that code reads, the files and the sizes. */
export function unbuiltManifest(app: App, platform: BuildPlatform, uses: readonly EntryUses[]): Manifest {
  const services = servicesOf(app).map((service) => {
    const part = entriesApp(app, service, userAccess(app, service, uses).authenticators);
    const capabilities = capabilitiesOf({
      part,
      callers: [],
      remotes: [],
      flash: undefined,
      languages: undefined,
      transacts: undefined,
      referred: undefined,
      ruledRef: undefined,
      keyedQueue: undefined,
      followedFeed: undefined,
      sendsRequests: false,
    });
    return { service, part, capabilities, files: [], assets: {}, runtimeFiles: [] };
  });
  return manifestOf({ app, platform, uses, services });
}
