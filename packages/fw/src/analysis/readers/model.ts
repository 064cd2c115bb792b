import { parseDuration } from "../../lib/duration.ts";
import type { Endpoint, Package, ServiceDeclaration, SiteDeclaration } from "../../model/app.ts";
import type { RouteSettings } from "../../model/route.ts";
import type { EndpointRead, PackageRead, Read, ServiceRead, SiteRead } from "./read.ts";

/** The model of a package: of what was read, what is whole. Nothing is missing where the rules found nothing. */
export function packageModel({ name, dir, reads }: PackageRead): Package {
  const settings = firstOf(reads, "service");
  const site = firstOf(reads, "site");
  const status = firstOf(reads, "status");
  return {
    name,
    dir,
    service: settings ? `${name}-${settings.declaration.variable}` : name,
    ...(settings ? { settings: serviceModel(settings) } : {}),
    ...(site?.dir === undefined ? {} : { site: siteModel(site, site.dir) }),
    ...(status ? { status: status.declaration } : {}),
    endpoints: reads.flatMap((read) => (read.kind === "api" || read.kind === "page" ? endpointModel(read) : [])),
  };
}

function firstOf<Kind extends Read["kind"]>(
  reads: readonly Read[],
  kind: Kind,
): Extract<Read, { kind: Kind }> | undefined {
  return reads.find((read): read is Extract<Read, { kind: Kind }> => read.kind === kind);
}

function endpointModel({ kind, declaration, route, config, types }: EndpointRead): readonly Endpoint[] {
  if (!route || !types) return [];
  return [
    {
      kind,
      declaration,
      route,
      settings: routeSettings(config),
      request: types.request.shape,
      response: types.response,
    },
  ];
}

function routeSettings({ settings }: EndpointRead["config"]): RouteSettings {
  const { signIn, private: internal, maxAge } = settings;
  const ms = typeof maxAge?.value === "string" ? parseDuration(maxAge.value) : undefined;
  return {
    signIn: signIn?.value ?? false,
    private: internal?.value ?? false,
    ...(ms === undefined ? {} : { maxAge: Math.floor(ms / 1000) }),
  };
}

function siteModel({ declaration, out, config }: SiteRead, dir: string): SiteDeclaration {
  const { build, redirects, trustedHTML, notFound } = config.settings;
  const command = build?.value?.command?.value;
  return {
    declaration,
    dir,
    ...(command === undefined || out === undefined ? {} : { build: { command, out } }),
    redirects: Object.fromEntries((redirects?.value ?? []).map(({ from, to }) => [from, to])),
    trustedHTML: trustedHTML?.value ?? false,
    ...(notFound?.value === undefined ? {} : { notFound: notFound.value }),
  };
}

function serviceModel({ declaration, config }: ServiceRead): ServiceDeclaration {
  const { domain, profile } = config.settings;
  return {
    declaration,
    ...(domain?.value === undefined ? {} : { domain: domain.value }),
    profile: profile?.value ?? "default",
  };
}
