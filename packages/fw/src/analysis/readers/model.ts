import { parseDuration } from "../../lib/duration.ts";
import type { Endpoint, Package, ServiceDeclaration, SiteDeclaration } from "../../model/app.ts";
import type { Auth, Policy, Role, Secret } from "../../model/auth.ts";
import type { RouteSettings } from "../../model/route.ts";
import type { Entity } from "../../model/entity.ts";
import type { EntityIndexes } from "../queries/indexes.ts";
import { backgroundModel } from "./background-model.ts";
import type {
  AuthRead,
  EndpointRead,
  EntityRead,
  PackageRead,
  PolicyRead,
  Read,
  RoleRead,
  SecretRead,
  ServiceRead,
  SiteRead,
} from "./read.ts";

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
    ...some("auths", allOf(reads, "auth").map(authModel)),
    ...some("roles", allOf(reads, "role").flatMap(named)),
    ...some("policies", allOf(reads, "policy").map(policyModel)),
    ...some("secrets", allOf(reads, "secret").flatMap(named)),
    ...some("entities", allOf(reads, "entity").flatMap(entityModel)),
    ...backgroundModel(name, reads),
    endpoints: reads.flatMap((read) => (read.kind === "api" || read.kind === "page" ? endpointModel(read) : [])),
  };
}

function firstOf<Kind extends Read["kind"]>(
  reads: readonly Read[],
  kind: Kind,
): Extract<Read, { kind: Kind }> | undefined {
  return allOf(reads, kind)[0];
}

function allOf<Kind extends Read["kind"]>(
  reads: readonly Read[],
  kind: Kind,
): readonly Extract<Read, { kind: Kind }>[] {
  return reads.filter((read): read is Extract<Read, { kind: Kind }> => read.kind === kind);
}

/** A property that is absent where there are none. */
function some<Name extends keyof Package, T>(
  name: Name,
  values: readonly T[],
): { readonly [N in Name]?: readonly T[] } {
  return values.length === 0 ? {} : ({ [name]: values } as { readonly [N in Name]: readonly T[] });
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

function entityModel({ declaration, text, types }: EntityRead): readonly Entity[] {
  const id = types?.fields.find((field) => field.id);
  if (text.value === undefined || !types || !id) return [];
  const kept = types.fields.filter(({ transient }) => !transient);
  return [
    {
      declaration,
      name: text.value,
      id: id.name,
      indexed: kept.filter(({ indexed }) => indexed).map(({ name, many }) => ({ name, many })),
      transient: types.fields.filter(({ transient }) => transient).map(({ name }) => name),
    },
  ];
}

function authModel({ declaration, config }: AuthRead): Auth {
  const { social, password } = config.settings;
  return { declaration, social: social?.value ?? false, password: password?.value ?? false };
}

/** A role or a secret, of which only the name is told. */
function named({ declaration, text }: RoleRead | SecretRead): readonly (Role & Secret)[] {
  return text.value === undefined ? [] : [{ declaration, name: text.value }];
}

function policyModel({ declaration, required }: PolicyRead): Policy {
  return required ? { declaration, roles: required.roles.flatMap(({ name }) => name ?? []) } : { declaration };
}

/** The entities by module and variable. */
export function entitiesByConstant(packages: readonly Package[]): ReadonlyMap<string, EntityIndexes> {
  const entities = packages.flatMap((part) => part.entities ?? []);
  return new Map(
    entities.map(({ declaration: { module, variable }, name, indexed }) => {
      const many = new Set(indexed.filter((field) => field.many).map((field) => field.name));
      return [`${module}#${variable}`, { name, many }];
    }),
  );
}

function routeSettings({ settings }: EndpointRead["config"]): RouteSettings {
  const { signIn, allow, private: internal, maxAge } = settings;
  const ms = typeof maxAge?.value === "string" ? parseDuration(maxAge.value) : undefined;
  return {
    signIn: allow !== undefined || (signIn?.value ?? false),
    ...(allow?.value?.kind === "declared"
      ? { allow: { module: allow.value.module, variable: allow.value.variable } }
      : {}),
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
