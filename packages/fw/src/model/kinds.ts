/** Properties of a kind of declaration. Code that treats several kinds alike uses this table instead of naming them. */
export interface KindDescription {
  /** The functions of `fw` that declare it. */
  readonly functions: readonly string[];
  /** A group of kinds with one type in the model, which most code treats alike. */
  readonly family?: "endpoint" | "destination" | "consumer";
  /**
   * The index of the argument with application code, or with RequireRole's roles, RequireMember's tenant or MCP's
   * settings; absent if there is none.
   */
  readonly handler?: number;
  /** The process that runs its code: the package's app service, or a separate service. Absent if it has no code. */
  readonly runs?: "app" | "alone";
  /** Receives no requests, so `traffic` does not apply and it gets at least one CPU. */
  readonly unshared?: true;
  /** An example name; absent if it has no name, or if a separate rule reads it. */
  readonly example?: string;
  /** The rule for its name; absent if a separate rule checks it. */
  readonly name?: NameDescription;
  /** The methods that code can call on it, and its kind in uses and grants. */
  readonly use?: { readonly kind: string; readonly operations: readonly string[] };
  /** Included in every service whose code reaches it, regardless of the package that declares it. */
  readonly shared?: true;
  /** Needs a platform, because it stores or sends something or runs in the background. */
  readonly keepsData?: true;
  /** The wiring refers to it by name and never imports the declaration. */
  readonly byName?: true;
  /** Index of an argument that only the analysis reads; services are built without it. */
  readonly readStatically?: number;
  /** Present if the analysis reads only its name. */
  readonly nameOnly?: true;
  /** A noun for the data that a Tenant in the settings separates; absent if tenants cannot separate it. */
  readonly perTenant?: string;
  /** The key of the list of its names in a manifest's resources. */
  readonly resource?: string;
}

export interface NameDescription {
  readonly noun: string;
  readonly plural: string;
  readonly grammar: NameGrammar;
  /** The reason why two declarations cannot share a name; absent if they can. */
  readonly why?: string;
  readonly reserved?: readonly string[];
}

/**
 * `physical`: lowercase letters, digits and hyphens. `stored`: also underscores. `label`: valid in a path below
 * `/_fw/`, as a label of logs and metrics, and as a name in the cloud. `metric`: a label that starts with a letter, as
 * metric names do in Prometheus and OpenMetrics. `variable`: valid in an env file, as an environment variable, and in a
 * secret store.
 */
export type NameGrammar = "physical" | "stored" | "label" | "metric" | "variable";

/** All kinds of declarations, in the order that lists use. */
export const kinds = {
  api: {
    functions: ["API"],
    family: "endpoint",
    handler: 1,
    runs: "app",
    use: { kind: "endpoint", operations: ["call"] },
  },
  page: {
    functions: ["Page"],
    family: "endpoint",
    handler: 1,
    runs: "app",
    use: { kind: "endpoint", operations: ["call"] },
  },
  mount: { functions: ["Mount", "MCP"], family: "endpoint", handler: 1, runs: "app" },
  socket: { functions: ["Socket"], family: "endpoint", handler: 1, runs: "app" },
  site: { functions: ["Site"] },
  service: { functions: ["Service"] },
  status: { functions: ["StatusPage"], handler: 0, runs: "app" },
  errors: { functions: ["ErrorShape"], handler: 0, runs: "app" },
  entity: {
    functions: ["Entity"],
    example: "orders",
    name: { noun: "an entity", plural: "entities", grammar: "stored", why: "documents of two types must not mix" },
    use: { kind: "entity", operations: ["create", "delete", "find", "get", "getMany", "put", "query", "update"] },
    shared: true,
    keepsData: true,
    perTenant: "documents",
  },
  auth: {
    functions: ["Auth"],
    use: {
      kind: "users",
      // Operations on accounts by the method names of `users`, and on access tokens by their path below an Auth.
      operations: [
        "byEmail",
        "create",
        "delete",
        "disable",
        "enable",
        "get",
        "grant",
        "list",
        "revoke",
        "tokens.create",
        "tokens.list",
        "tokens.revoke",
      ],
    },
    keepsData: true,
    byName: true,
  },
  authenticator: { functions: ["Authenticator"], handler: 0, byName: true },
  role: { functions: ["Role"], byName: true, nameOnly: true },
  policy: { functions: ["Policy", "RequireRole", "RequireMember"], handler: 0, byName: true },
  tenant: {
    functions: ["Tenant"],
    example: "orgs",
    handler: 1,
    name: { noun: "a tenant", plural: "tenants", grammar: "label", why: "their data would mix" },
    shared: true,
  },
  secret: {
    functions: ["Secret"],
    example: "MAIL_KEY",
    name: { noun: "a secret", plural: "secrets", grammar: "variable" },
    use: { kind: "secret", operations: ["value"] },
    shared: true,
    byName: true,
    nameOnly: true,
  },
  bucket: {
    functions: ["Bucket"],
    example: "photos",
    name: { noun: "a bucket", plural: "buckets", grammar: "physical", why: "objects are stored under that name" },
    use: { kind: "bucket", operations: ["delete", "exists", "get", "list", "put", "signedGet", "signedPut"] },
    shared: true,
    keepsData: true,
    perTenant: "objects",
    resource: "buckets",
  },
  queue: {
    functions: ["Queue"],
    family: "destination",
    example: "emails",
    name: { noun: "a queue", plural: "queues", grammar: "physical", why: "messages of two types must not mix" },
    use: { kind: "queue", operations: ["cancel", "send"] },
    shared: true,
    keepsData: true,
    perTenant: "messages",
    resource: "queues",
  },
  topic: {
    functions: ["Topic"],
    family: "destination",
    example: "order-placed",
    name: { noun: "a topic", plural: "topics", grammar: "physical", why: "events of two types must not mix" },
    use: { kind: "topic", operations: ["publish"] },
    shared: true,
    keepsData: true,
    perTenant: "events",
    resource: "topics",
  },
  job: {
    functions: ["Job"],
    family: "destination",
    example: "rebuild",
    name: { noun: "a job", plural: "jobs", grammar: "label", why: "it is started and logged by its name" },
    use: { kind: "job", operations: ["cancel", "get", "list", "start"] },
    shared: true,
    keepsData: true,
    perTenant: "runs",
    resource: "jobs",
  },
  worker: { functions: ["Worker"], family: "consumer", handler: 1, runs: "alone", keepsData: true },
  subscribe: { functions: ["Subscribe"], family: "consumer", handler: 1, runs: "alone", keepsData: true },
  runner: { functions: ["Runner"], family: "consumer", handler: 1, runs: "alone", unshared: true, keepsData: true },
  cron: {
    functions: ["Cron"],
    example: "digest",
    handler: 2,
    runs: "app",
    name: { noun: "a cron", plural: "crons", grammar: "label", why: "it is started and logged by its name" },
    keepsData: true,
  },
  singleton: {
    functions: ["Singleton"],
    example: "relay",
    handler: 1,
    runs: "alone",
    unshared: true,
    name: {
      noun: "a singleton",
      plural: "singletons",
      grammar: "label",
      why: "only one singleton runs under each name",
    },
    keepsData: true,
  },
  limit: {
    functions: ["Limit"],
    example: "sign-up",
    name: { noun: "a limit", plural: "limits", grammar: "label", why: "their uses would be counted together" },
    use: { kind: "limit", operations: ["take"] },
    shared: true,
    keepsData: true,
    perTenant: "counts",
  },
  feed: {
    functions: ["Feed"],
    example: "tickets",
    name: { noun: "a feed", plural: "feeds", grammar: "label", why: "events of two types must not mix" },
    use: { kind: "feed", operations: ["events", "followPresence", "join", "presence", "publish"] },
    shared: true,
    keepsData: true,
    perTenant: "events",
  },
  mail: {
    functions: ["Mail"],
    example: "welcome",
    handler: 1,
    name: { noun: "a mail", plural: "mails", grammar: "label", why: "operators identify it by its name" },
    shared: true,
  },
  seed: {
    functions: ["Seed"],
    example: "demo",
    handler: 1,
    name: { noun: "a seed", plural: "seeds", grammar: "label", why: "it is run by its name" },
    nameOnly: true,
  },
  counter: {
    functions: ["Counter"],
    example: "orders_placed",
    name: {
      noun: "a counter",
      plural: "metrics",
      grammar: "metric",
      why: "their values would be counted as one metric",
      reserved: ["requests", "request_ms", "misfits"],
    },
    shared: true,
    nameOnly: true,
    resource: "counters",
  },
  histogram: {
    functions: ["Histogram"],
    example: "upload_bytes",
    name: {
      noun: "a histogram",
      plural: "metrics",
      grammar: "metric",
      why: "their values would be counted as one metric",
      reserved: ["requests", "request_ms", "misfits"],
    },
    shared: true,
    nameOnly: true,
    resource: "histograms",
  },
  channel: {
    functions: ["Channel"],
    example: "oncall",
    name: { noun: "a channel", plural: "channels", grammar: "label", why: "operators identify it by its name" },
    readStatically: 1,
  },
  alert: {
    functions: ["Alert"],
    example: "order-errors",
    name: { noun: "an alert", plural: "alerts", grammar: "label", why: "notifications identify it by its name" },
    readStatically: 1,
  },
} as const;

export type DeclarationKind = keyof typeof kinds;

export type KindWith<Property extends keyof KindDescription, Value = unknown> = {
  [Kind in DeclarationKind]: (typeof kinds)[Kind] extends Readonly<Record<Property, Value>> ? Kind : never;
}[DeclarationKind];

/** The name of a declaring function of `fw`, such as `RequireRole`. */
export type DeclarationName = { [Kind in DeclarationKind]: (typeof kinds)[Kind]["functions"][number] }[DeclarationKind];

/** Returns the description of a kind, typed with all optional properties. */
export function descriptionOf(kind: DeclarationKind): KindDescription {
  return kinds[kind];
}

/** True if a kind has a property and, if a value is given, the property has that value. */
export function hasDescription<
  Property extends keyof KindDescription,
  const Value extends KindDescription[Property] = KindDescription[Property],
>(kind: DeclarationKind, property: Property, value?: Value): kind is KindWith<Property, Value> {
  const found = descriptionOf(kind)[property];
  return value === undefined ? found !== undefined : found === value;
}

export function kindsWith<
  Property extends keyof KindDescription,
  const Value extends KindDescription[Property] = KindDescription[Property],
>(property: Property, value?: Value): readonly KindWith<Property, Value>[] {
  const all = Object.keys(kinds) as DeclarationKind[];
  return all.filter((kind): kind is KindWith<Property, Value> => hasDescription(kind, property, value));
}

/** Declaration kinds by the names of their functions in `fw`. */
export const declarationKinds = Object.fromEntries(
  Object.entries(kinds).flatMap(([kind, { functions }]) => functions.map((name) => [name, kind])),
) as Readonly<Record<DeclarationName, DeclarationKind>>;

export function isDeclarationName(name: string): name is DeclarationName {
  return Object.hasOwn(declarationKinds, name);
}
