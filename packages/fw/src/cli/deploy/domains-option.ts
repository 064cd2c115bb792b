import type { Manifest } from "../../build/manifest.ts";
import type { Flag } from "../command.ts";

/** For a preview beside the environment that has the domains: a domain leads to one service of one environment. */
export const domainsOption: Readonly<Record<"without-domains", Flag>> = {
  "without-domains": { summary: "leave domains to another environment, as a preview does" },
};

/** What a manifest says of an environment that has no domains. */
export function withoutDomains(manifest: Manifest, options: { readonly withoutDomains: true | undefined }): Manifest {
  if (!options.withoutDomains) return manifest;
  return { ...manifest, services: manifest.services.map((service) => ({ ...service, domain: "" })) };
}
