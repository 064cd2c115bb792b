import type { AlertRule } from "../lib/alert-rule.ts";
import { printedGrant, type GraphGrant as ManifestGrant } from "../generate/graph/grants.ts";
import { compareText, namesOf } from "../lib/names.ts";
import { rulesText } from "../lib/derived-indexes.ts";
import type { ChannelTarget } from "../model/alert.ts";
import { alertRules } from "../model/alert-rules.ts";
import type { App, Endpoint, Origins } from "../model/app.ts";
import { credentialsOf } from "../model/auth.ts";
import type { Consumer } from "../model/background.ts";
import { allOfKind, consumersOf, endpointsOf, ofKind, settingsOf, type OfKind } from "../model/declarations.ts";
import { withRules, type StoredIndexField } from "../model/evolution.ts";
import { cloudUses, frameworkUses, type FrameworkUse } from "../model/framework-uses.ts";
import { grantsOf } from "../model/grants.ts";
import { kinds, kindsWith, type KindWith } from "../model/kinds.ts";
import type { Profile } from "../model/pins.ts";
import { scalingOf, type Scaling, type Traffic } from "../model/scaling.ts";
import type { Service } from "../model/services.ts";
import type { BuiltService, BuildInput } from "./build.ts";
import { siteDirectory } from "./directories.ts";
import type { BuildPlatform } from "./platform.ts";

export type { ManifestGrant };

/** The version of the manifest's format. Raise it for a change that an existing reader would misread. */
export const manifestVersion = 2;

/**
 * The facts about a built application that a deploy needs: `.fw/build/app.json`. Lists are sorted by name, or by route.
 */
export interface Manifest {
  readonly version: typeof manifestVersion;
  readonly app: string;
  readonly platform: BuildPlatform;
  readonly services: readonly ManifestService[];
  readonly resources: ManifestResources;
  /** The sign-in methods; absent if the application has no sign-in. */
  readonly signIn?: { readonly password: boolean; readonly social: boolean };
  /** The application's Authenticators, which identify users without sign-in; absent if there are none. */
  readonly authenticators?: readonly ManifestAuthenticator[];
  /** The service accounts, one for each service. */
  readonly identities: readonly { readonly name: string; readonly service: string }[];
}

export interface ManifestService {
  readonly name: string;
  readonly kind: Service["kind"];
  readonly package: string;
  /** The path of the module to start, relative to the manifest. */
  readonly entry: string;
  /** Bytes of code, without source maps and site files. */
  readonly bytes: number;
  readonly profile: Profile;
  /** Memory in mebibytes. */
  readonly footprint: Scaling["footprint"];
  /** The scaling for requests, with the timeout in milliseconds; absent for runners and singletons. */
  readonly traffic?: Traffic;
  /** "" for no domain. */
  readonly domain: string;
  /** Other origins whose pages may use the service's public APIs, mounts and sockets; absent if there are none. */
  readonly origins?: Origins;
  /** The directory of its site's files, relative to the manifest; "" for none. */
  readonly site: string;
  readonly routes: readonly ManifestRoute[];
  readonly receives?: ManifestConsumer;
  readonly crons: readonly ManifestCron[];
  readonly secrets: readonly string[];
  /**
   * True if it records metrics: of requests, crons, job runs, data that does not fit its type, or from its own code.
   */
  readonly measures: boolean;
  /** The permissions that its code needs, sorted by kind and name. */
  readonly grants: readonly ManifestGrant[];
  /** Additional permissions that the framework needs to run the service. */
  readonly framework: readonly FrameworkUse[];
}

export interface ManifestAuthenticator {
  readonly name: string;
  /** The credentials that it reads, such as `header X-Api-Key`. */
  readonly credentials: readonly string[];
}

export interface ManifestRoute {
  readonly route: string;
  readonly kind: Endpoint["kind"];
  /** The access rule; `private` allows only other services of the application. */
  readonly door: "public" | "sign-in" | "policy" | "private";
  /** The variable of the policy, if the access rule is `policy`. */
  readonly policy?: string;
  /** Seconds that a shared cache may keep a response; 0 for none. */
  readonly maxAge: number;
  /** The maximum size of a body in bytes; absent for the default. */
  readonly maxBody?: number;
}

/**
 * The source and delivery of the messages of a worker, subscriber or runner, with times in milliseconds. For a runner,
 * also the number of tasks in one run.
 */
export type ManifestConsumer = Pick<Consumer, "source" | "delivery" | "tasks">;

/** The schedule in the five-field format of unix-cron, and the deadline in milliseconds. */
export type ManifestCron = Pick<OfKind<"cron">, "name" | "schedule" | "timezone" | "deadline">;

export type ManifestResources = {
  readonly entities: readonly ManifestEntity[];
  readonly channels: readonly ManifestChannel[];
  /** Conditions use the exported names of metrics; times are in milliseconds. */
  readonly alerts: readonly AlertRule[];
} & {
  readonly [Kind in KindWith<"resource"> as (typeof kinds)[Kind]["resource"]]: readonly string[];
};

/** The target of alerts: an email address, or the name of the secret that holds a webhook URL. */
export type ManifestChannel = { readonly name: string } & ChannelTarget;

export interface ManifestEntity {
  readonly name: string;
  /** The field that holds a document's id. */
  readonly id: string;
  readonly indexed: readonly Omit<StoredIndexField, "rule">[];
  /** The rules that add indexed fields to older documents; absent if there are none. */
  readonly rules?: string;
  /** The composite indexes that queries need. */
  readonly indexes: readonly (readonly { readonly field: string; readonly direction: "asc" | "desc" }[])[];
}

export interface BuiltApp extends Pick<BuildInput, "app" | "platform" | "uses"> {
  readonly services: readonly BuiltService[];
}

export function manifestOf(built: BuiltApp): Manifest {
  const { app, platform } = built;
  const services = built.services.map((service) => manifestService(built, service)).toSorted(byName);
  return {
    version: manifestVersion,
    app: app.name,
    platform,
    services,
    resources: manifestResources(app),
    ...signInOf(app),
    ...authenticatorsOf(app),
    identities: services.map(({ name }) => ({ name, service: name })),
  };
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** Merges several Auth declarations: users may sign in with any of their providers. */
function signInOf({ packages }: App): Pick<Manifest, "signIn"> {
  const all = allOfKind(packages, "auth");
  if (all.length === 0) return {};
  return { signIn: { password: all.some(({ password }) => password), social: all.some(({ social }) => social) } };
}

function authenticatorsOf({ packages }: App): Pick<Manifest, "authenticators"> {
  const authenticators = allOfKind(packages, "authenticator").map((authenticator) => ({
    name: authenticator.declaration.variable,
    credentials: credentialsOf(authenticator),
  }));
  return authenticators.length === 0 ? {} : { authenticators };
}

function manifestService(
  { app, platform, uses }: BuiltApp,
  { service, part, files, assets }: BuiltService,
): ManifestService {
  const { name, kind, package: own } = service;
  const directory = `services/${name}`;
  const code = files.filter((file) => !file.name.endsWith(".map"));
  const first = part.packages[0] ?? { declarations: [] };
  const [consumer] = consumersOf(first);
  const settings = settingsOf(own);
  return {
    name,
    kind,
    package: own.name,
    entry: `${directory}/main.js`,
    bytes: code.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    ...scalingOf(service),
    domain: kind === "app" ? (settings?.domain ?? "") : "",
    ...(kind === "app" && settings?.origins && { origins: settings.origins }),
    site: Object.keys(assets).length === 0 ? "" : `${directory}/${siteDirectory}`,
    routes: endpointsOf(first)
      .map(manifestRoute)
      .toSorted((a, b) => compareText(a.route, b.route)),
    ...(consumer && { receives: consumerOf(consumer) }),
    crons: ofKind(first, "cron")
      .map(({ name, schedule, timezone, deadline }) => ({ name, schedule, timezone, deadline }))
      .toSorted(byName),
    secrets: namesOf(ofKind(first, "secret")),
    measures:
      kind === "app" ||
      kind === "runner" ||
      ofKind(first, "counter", "histogram", "entity").length > 0 ||
      (consumer !== undefined && hasTypedMessages(consumer)),
    grants: grantsOf(service, uses).map(printedGrant),
    framework: [...frameworkUses(app, service, uses), ...(platform === "gcp" ? cloudUses(app, service, uses) : [])],
  };
}

function manifestRoute({ kind, route, settings }: Endpoint): ManifestRoute {
  const { allow, signIn, maxAge = 0, maxBody } = settings;
  const own = { route: route.pattern, kind, maxAge, ...(maxBody !== undefined && { maxBody }) };
  if (settings.private) return { ...own, door: "private" };
  if (allow !== undefined) return { ...own, door: "policy", policy: allow.variable };
  return { ...own, door: signIn ? "sign-in" : "public" };
}

/** True if the messages have a declared type. Messages of an older version may not fit it. */
function hasTypedMessages({ source }: Consumer): boolean {
  return source.kind !== "event" || source.name.startsWith("dead.");
}

function consumerOf({ source, delivery, tasks }: Consumer): ManifestConsumer {
  return { source, delivery, ...(tasks !== undefined && { tasks }) };
}

function manifestResources(app: App): ManifestResources {
  const { packages, types, indexes = [] } = app;
  const entities = allOfKind(packages, "entity").map((entity) => {
    const { name, id } = entity;
    const fields = withRules(entity, types);
    const rules = rulesText(fields);
    return {
      name,
      id,
      indexed: fields.map(({ name: field, many, unique, type }) => ({
        name: field,
        many,
        ...(unique && { unique }),
        ...(type !== undefined && { type }),
      })),
      ...(rules !== undefined && { rules }),
      indexes: indexes.filter((index) => index.entity === name).map(({ fields }) => fields),
    };
  });
  const channels = allOfKind(packages, "channel").map(({ name, to }) => ({ name, ...to }));
  return {
    entities: entities.toSorted(byName),
    ...nameOnlyResources(packages),
    channels: channels.toSorted(byName),
    alerts: alertRules(app),
  };
}

/** Lists the resources that have only a name, by their key in the manifest. */
function nameOnlyResources(packages: App["packages"]): Omit<ManifestResources, "entities" | "channels" | "alerts"> {
  const namesByResource = kindsWith("resource").map((kind) => [
    kinds[kind].resource,
    namesOf(allOfKind(packages, kind)),
  ]);
  return Object.fromEntries(namesByResource) as Omit<ManifestResources, "entities" | "channels" | "alerts">;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compareText(a.name, b.name);
}
