import type { Remote } from "../generate/remote-module.ts";
import { holds } from "../generate/schema-queries.ts";
import { searchedFields } from "../lib/derived-indexes.ts";
import type { App, Declaration, DeclarationKey, Endpoint, SiteDeclaration } from "../model/app.ts";
import { bindingOf } from "../model/bindings.ts";
import { lineOf } from "../model/diagnostic.ts";
import {
  allOfKind,
  consumersOf,
  destinationsOf,
  endpointsOf,
  recordedJobs,
  settingsOf,
} from "../model/declarations.ts";
import { descriptionOf } from "../model/kinds.ts";
import { ruledFields } from "../model/evolution.ts";
import { answerSchemas } from "../model/reply-shape.ts";
import { type RequestShape, bodySchemas } from "../model/request-shape.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import type * as runtimeCapabilities from "../runtime/capabilities.ts";

export type Capability = keyof typeof runtimeCapabilities;

/** The reason for each capability, such as `GET / (notes/notes.ts:12)`; undefined if the service lacks it. */
export type Capabilities = Readonly<Record<Capability, string | undefined>>;

/** The part of an application that one service contains, and the services that it communicates with. */
export interface ServiceContents {
  readonly part: App;
  readonly callers: readonly string[];
  /** The endpoints of other services that its code calls. */
  readonly remotes: readonly Remote[];
  /** The site whose templates show flash messages; undefined if none does. */
  readonly flash: SiteDeclaration | undefined;
  /** The site whose templates depend on a language; undefined if none does. */
  readonly languages: SiteDeclaration | undefined;
  /** The entry whose code runs transactions; undefined if none does. */
  readonly transacts: DeclarationKey | undefined;
  /** The name of an entity whose references its code follows to read documents; undefined if there is none. */
  readonly referred: string | undefined;
  /** The name of an entity whose `onDelete` rules its code must follow; undefined if there is none. */
  readonly ruledRef: string | undefined;
  /** A queue whose keys its code uses, or one with keys that it handles; undefined if there is none. */
  readonly keyedQueue: string | undefined;
  /** A feed whose presence its code follows; undefined if there is none. */
  readonly followedFeed: string | undefined;
  /** Whether its code may send requests to other servers. */
  readonly sendsRequests: boolean;
}

/** Derives the capabilities of a service from its part of the model. Assumes a use unless the model rules it out. */
export function capabilitiesOf({
  part,
  callers,
  remotes,
  flash,
  languages,
  transacts,
  referred,
  ruledRef,
  keyedQueue,
  followedFeed,
  sendsRequests,
}: ServiceContents): Capabilities {
  const { packages, types } = part;
  const { endpoints, first, firstOf, carries } = findersIn(part);
  const page = first(({ kind }) => kind === "page");
  const ruled = reason(allOfKind(packages, "entity").find((entity) => ruledFields(entity, types).size > 0));
  const callees = [...new Set(remotes.map(({ service }) => service))];
  const holdsAny = (schemas: readonly Schema[], kind: Schema["kind"]): boolean =>
    schemas.some((schema) => holds(schema, kind, types));
  return {
    usesPages: page ?? firstOf("site", "status"),
    usesMails: firstOf("mail"),
    usesInvalid: first(({ settings }) => settings.invalid === true),
    usesOnce: first(hasOnce),
    usesLive: first(({ settings }) => settings.live === true),
    usesFlash: reason(flash),
    usesLanguages: reason(languages),
    usesErrorShapes: firstOf("errors"),
    usesForms: carries("form", "multipart") ?? first((endpoint) => endpoint.kind === "page" && isUnsafe(endpoint)),
    usesSites: firstOf("site"),
    usesBodies: carries("json", "raw"),
    usesFields: first(({ request }) => request.bound.some(({ source }) => bindingOf(source).varies !== undefined)),
    usesInt64:
      first(({ request, messages }) =>
        holdsAny([...bodySchemas(request), ...(messages ? [messages.received] : [])], "int64"),
      ) ??
      reason(remotes.map(({ endpoint }) => endpoint).find((endpoint) => holdsAny(answerSchemas(endpoint), "int64"))) ??
      reason(toolWithInt64(endpoints, remotes, types)),
    // The model does not know what pages respond with, so assume any of these.
    usesBlobs: page ?? first((endpoint) => holdsAny(answerSchemas(endpoint), "blob")),
    usesReplies: page ?? first(({ replies }) => replies !== undefined),
    usesIdentity: firstOf("auth", "authenticator"),
    usesAccounts: reason(allOfKind(packages, "auth").find(({ account }) => account)),
    usesPolicies: first(({ settings }) => settings.allow !== undefined) ?? services("calls", callees),
    usesOrigins: reason(packages.map(settingsOf).find((settings) => settings?.origins !== undefined)),
    usesMounts: firstOf("mount"),
    usesMCP: first(({ tools }) => tools !== undefined),
    usesSockets: firstOf("socket"),
    usesCallers: services("is called by", callers),
    usesRemotes: services("calls", callees),
    usesInProcessCalls: undefined,
    usesData:
      reason(packages.flatMap((pkg) => pkg.declarations).find(({ kind }) => descriptionOf(kind).keepsData)) ??
      first(hasOnce),
    // A transaction may consist of messages alone.
    usesEntities: firstOf("entity", "feed") ?? (transacts && `transaction in ${transacts.variable}`),
    usesRefs: referred && `documents that "${referred}" refers to`,
    usesReferenceRules: ruledRef && `the onDelete rules of "${ruledRef}"`,
    usesCountBy: reason(
      allOfKind(packages, "entity").find(({ name }) => part.countedFields?.some(({ entity }) => entity === name)),
    ),
    usesOffset: reason(allOfKind(packages, "entity").find(({ name }) => part.skippingEntities?.includes(name))),
    usesSearch: reason(
      allOfKind(packages, "entity").find(({ indexed }) =>
        indexed.some(({ name }) => searchedFields(name) !== undefined),
      ),
    ),
    usesRewrites: ruled,
    usesBuckets: firstOf("bucket"),
    usesMessages: reason(packages.flatMap(destinationsOf)[0]),
    usesMessageKeys: keyedQueue && `keys of the queue ${keyedQueue}`,
    usesJobHistory: reason(recordedJobs(packages)[0]),
    usesBackground: firstOf("cron", "singleton") ?? reason(packages.flatMap(consumersOf)[0]) ?? ruled,
    usesCrons: firstOf("cron"),
    usesLimits: firstOf("limit"),
    usesFeeds: firstOf("feed"),
    usesFollowedPresence: followedFeed && `presence of the feed ${followedFeed}`,
    usesTenants: firstOf("tenant"),
    usesOutgoing: sendsRequests ? "code that may send HTTP requests" : undefined,
    usesMetrics: firstOf("counter", "histogram"),
  };
}

/** Generates the runtime's module of capability constants for one service. */
export function capabilitiesText(capabilities: Capabilities): string {
  return Object.entries(capabilities)
    .map(([name, why]) => `export const ${name} = ${why !== undefined};\n`)
    .join("");
}

/** Generates the platforms' module of constants that say which ports one service uses. */
export function usedPortsText(capabilities: Capabilities): string {
  const uses = (...names: readonly Capability[]): boolean => names.some((name) => capabilities[name] !== undefined);
  return `
export const hasAccounts = ${uses("usesIdentity")};
export const hasObjects = ${uses("usesBuckets")};
export const hasMessages = ${uses("usesMessages", "usesBackground", "usesIdentity", "usesBuckets")};
export const unusedPort = undefined;
`;
}

/** Returns the endpoints, and functions that describe the first matching endpoint or declaration as a reason. */
function findersIn({ packages }: App): Finders {
  const endpoints = packages.flatMap(endpointsOf);
  const first: Finders["first"] = (matches) => reason(endpoints.find(matches));
  return {
    endpoints,
    first,
    firstOf: (...kinds) => reason(allOfKind(packages, ...kinds)[0]),
    carries: (...kinds) => first(({ request }) => kinds.includes(request.carries)),
  };
}

interface Finders {
  readonly endpoints: readonly Endpoint[];
  readonly first: (matches: (endpoint: Endpoint) => boolean) => string | undefined;
  readonly firstOf: (...kinds: readonly Declaration["kind"][]) => string | undefined;
  readonly carries: (...kinds: readonly RequestShape["carries"][]) => string | undefined;
}

/** Describes a declaration by its route or name and its location. */
function reason(declaration: Declaration | undefined): string | undefined {
  if (declaration === undefined) return undefined;
  const { at, variable } = declaration.declaration;
  const name = "name" in declaration ? declaration.name : variable;
  const label = "route" in declaration ? declaration.route.pattern : `${declaration.kind} ${name}`;
  return `${label} (${lineOf(at)})`;
}

function services(verb: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${verb} ${names.join(", ")}`;
}

/** Finds an endpoint that accepts an Int64, if any endpoint is an MCP server: a tool's arguments arrive as JSON. */
function toolWithInt64(
  endpoints: readonly Endpoint[],
  remotes: ServiceContents["remotes"],
  types: TypeTable,
): Endpoint | undefined {
  if (!endpoints.some(({ tools }) => tools !== undefined)) return undefined;
  return [...endpoints, ...remotes.map(({ endpoint }) => endpoint)].find(({ request }) => {
    const isBound = request.bound.some(({ type }) => type.kind === "int64");
    return isBound || bodySchemas(request).some((schema) => holds(schema, "int64", types));
  });
}

function hasOnce({ settings }: Endpoint): boolean {
  return settings.once === true;
}

function isUnsafe({ route }: Endpoint): boolean {
  return route.method !== "GET" && route.method !== "HEAD" && route.method !== "OPTIONS";
}
