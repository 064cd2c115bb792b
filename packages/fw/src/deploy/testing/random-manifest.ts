import {
  manifestVersion,
  type Manifest,
  type ManifestConsumer,
  type ManifestGrant,
  type ManifestService,
} from "../../build/manifest.ts";
import { profiles } from "../../model/scaling.ts";
import type { Seeded } from "./random.ts";

const names = ["alpha", "beta", "gamma"] as const;

/**
 * Returns the manifest of a random application with most kinds of declarations, each in several variants. `size` is the
 * share of all possible declarations that it contains.
 */
export function randomManifest(seeded: Seeded, size: number): Manifest {
  const entities = seeded.some(names, size).map((name) => ({
    name,
    id: "id",
    indexed: [
      { name: "at", many: false },
      { name: "by", many: false },
    ],
    indexes: seeded.chance(0.6) ? [[...order(seeded, "by"), ...order(seeded, "at")]] : [],
  }));
  const [buckets, queues, topics, jobs] = [
    seeded.some(names, size),
    seeded.some(names, size),
    seeded.some(names, size),
    seeded.some(names, size / 2),
  ];
  const signIn = seeded.chance(0.5) ? { password: seeded.chance(0.7), social: false } : undefined;
  const channels = seeded.some(names, 0.4).map((name) => ({ name, email: `${name}@example.com` }));
  const reachable = { entities: entities.map(({ name }) => name), buckets, queues, topics, jobs };
  const apps = ["web", ...seeded.some(["admin", "api"], size)].map((name) =>
    appService(seeded, name, reachable, signIn !== undefined),
  );
  const consumers = [
    ...queues.map((name) => consumer(seeded, "worker", `web-work-${name}`, { kind: "queue", name }, reachable)),
    ...topics.flatMap((name) => subscribers(seeded, name, reachable)),
    ...seeded
      .some(buckets, size)
      .map((name) =>
        consumer(seeded, "subscribe", `web-saw-${name}`, { kind: "event", name: `bucket.uploaded:${name}` }, reachable),
      ),
    ...jobs.map((name) => consumer(seeded, "runner", `web-run-${name}`, { kind: "job", name }, reachable)),
  ];
  const singletons = seeded.chance(0.3) ? [service(seeded, "singleton", "web-relay", reachable)] : [];
  const services = [...apps, ...consumers, ...singletons].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    version: manifestVersion,
    app: "shop",
    platform: "gcp",
    services,
    resources: {
      entities,
      buckets,
      queues,
      topics,
      jobs,
      counters: seeded.some(["orders", "visits"]),
      histograms: seeded.some(["bytes"]),
      channels,
      alerts: seeded.some(["errors", "silence"]).map((name) => ({
        name,
        condition: {
          kind: "rate",
          of: { metric: "requests", kind: "counter", service: "web", labels: { status: "5xx" } },
          comparison: "above",
          threshold: 1 + seeded.below(3),
        },
        every: 300_000,
        for: 60_000 * seeded.below(3),
        notify: channels.map((channel) => channel.name),
      })),
    },
    ...(signIn && { signIn }),
    identities: services.map(({ name }) => ({ name, service: name })),
  };
}

interface Reachable {
  readonly entities: readonly string[];
  readonly buckets: readonly string[];
  readonly queues: readonly string[];
  readonly topics: readonly string[];
  readonly jobs: readonly string[];
}

function order(seeded: Seeded, field: string): { field: string; direction: "asc" | "desc" }[] {
  return [{ field, direction: seeded.chance(0.5) ? "asc" : "desc" }];
}

function subscribers(seeded: Seeded, topic: string, reachable: Reachable): readonly ManifestService[] {
  const own = seeded
    .some(["mail", "audit"])
    .map((who) => consumer(seeded, "subscribe", `web-${who}-${topic}`, { kind: "topic", name: topic }, reachable));
  if (own.length === 0 || !seeded.chance(0.3)) return own;
  const dead = { kind: "event", name: `dead.topic:${topic}` } as const;
  return [...own, consumer(seeded, "subscribe", `web-dead-${topic}`, dead, reachable)];
}

function appService(seeded: Seeded, name: string, reachable: Reachable, signsIn: boolean): ManifestService {
  const door = seeded.chance(0.8) ? "public" : "private";
  return {
    ...service(seeded, "app", name, reachable),
    routes: [
      { route: "GET /", kind: "api", door, maxAge: 0 },
      ...(seeded.chance(0.5) ? [{ route: "POST /form", kind: "page", door, maxAge: 0 } as const] : []),
    ],
    crons: seeded.some(["hourly", "nightly"], 0.4).map((cron) => ({
      name: cron,
      schedule: `0 ${seeded.below(24)} * * *`,
      timezone: "Europe/Vienna",
      deadline: 180_000,
    })),
    domain: seeded.chance(0.2) ? `${name}.example.com` : "",
    secrets: seeded.some(["MAIL_KEY", "PAY_KEY"], 0.4),
    measures: true,
    framework: signsIn
      ? [
          { kind: "entity", name: "_fw_sessions", operations: ["create", "get"] },
          { kind: "users", name: "", operations: ["get"] },
          { kind: "event", name: "auth.first-sign-in", operations: ["send"] },
        ]
      : [],
  };
}

function consumer(
  seeded: Seeded,
  kind: ManifestService["kind"],
  name: string,
  source: ManifestConsumer["source"],
  reachable: Reachable,
): ManifestService {
  const delivery = {
    maxAttempts: 5 + seeded.below(3),
    minBackoff: 10_000,
    maxBackoff: 600_000,
    deadline: 600_000,
    ...(source.kind === "queue" && seeded.chance(0.5) && { rateLimit: 10 }),
  };
  return {
    ...service(seeded, kind, name, reachable),
    receives: { source, delivery, ...(kind === "runner" && { tasks: 2 }) },
  };
}

function service(seeded: Seeded, kind: ManifestService["kind"], name: string, reachable: Reachable): ManifestService {
  const { cpu, memory, ...traffic } = profiles.default;
  const alone = kind === "runner" || kind === "singleton";
  return {
    name,
    kind,
    package: "web",
    entry: `services/${name}/main.js`,
    bytes: 1000 + seeded.below(3),
    profile: "default",
    footprint: { cpu, memory: seeded.chance(0.5) ? memory : 1024 },
    ...(!alone && { traffic: { ...traffic, concurrency: seeded.chance(0.5) ? 80 : 40 } }),
    domain: "",
    site: "",
    routes: [],
    crons: [],
    secrets: [],
    measures: seeded.chance(0.5),
    grants: grants(seeded, reachable),
    framework: [],
  };
}

function grants(seeded: Seeded, { entities, buckets, queues, topics, jobs }: Reachable): readonly ManifestGrant[] {
  const use = (
    kind: ManifestGrant["kind"],
    all: readonly string[],
    ...operations: readonly string[]
  ): ManifestGrant[] =>
    seeded.some(all, 0.4).map((name) => ({
      kind,
      name,
      operations: seeded.chance(0.5) ? operations : operations.slice(0, 1),
      at: "web/a.ts:1",
    }));
  return [
    ...use("bucket", buckets, "get", "put", "signedPut"),
    ...use("entity", entities, "get", "put"),
    ...use("job", jobs, "start"),
    ...use("queue", queues, "send"),
    ...use("topic", topics, "publish"),
    ...(seeded.chance(0.2)
      ? [{ kind: "users", name: "", operations: ["grant"], role: "admin", at: "web/a.ts:2" } as const]
      : []),
  ];
}
