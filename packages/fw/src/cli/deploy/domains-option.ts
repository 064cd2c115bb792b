import type { Manifest } from "../../build/manifest.ts";
import type { Option } from "../command.ts";

/** For a preview beside the environment that has the domains: a domain leads to one service of one environment. */
export const domainsOption: Readonly<Record<"without-domains", Option>> = {
  "without-domains": { summary: "leave domains to another environment, as a preview does" },
};

/** What a manifest says of an environment that has no domains. */
export function withoutDomains(manifest: Manifest, isAsked: boolean): Manifest {
  if (!isAsked) return manifest;
  return { ...manifest, services: manifest.services.map((service) => ({ ...service, domain: "" })) };
}
