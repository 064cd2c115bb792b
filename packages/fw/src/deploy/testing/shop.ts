import { manifestVersion, type Manifest, type ManifestService } from "../../build/manifest.ts";
import type { ResourceInputs } from "../desired/resource-inputs.ts";

const delivery = { maxAttempts: 5, minBackoff: 10_000, maxBackoff: 600_000, deadline: 600_000 };

function service(name: string, kind: ManifestService["kind"], more: Partial<ManifestService> = {}): ManifestService {
  return {
    name,
    kind,
    package: "web",
    entry: `services/${name}/main.js`,
    bytes: 1000,
    profile: "default",
    footprint: { cpu: 1, memory: 512 },
    ...(kind !== "runner" &&
      kind !== "singleton" && { traffic: { minInstances: 0, maxInstances: 100, concurrency: 80, timeout: 300_000 } }),
    domain: "",
    site: "",
    routes: [],
    crons: [],
    secrets: [],
    measures: kind === "app" || kind === "runner",
    grants: [],
    framework: [],
    ...more,
  };
}

const at = "web/web.ts:1";

/** The manifest of an application with one of everything. */
const shop: Manifest = {
  version: manifestVersion,
  app: "shop",
  platform: "gcp",
  services: [
    service("desk", "app", {
      routes: [
        { route: "GET /desk", kind: "api", door: "private", maxAge: 0 },
        { route: "POST /desk", kind: "page", door: "private", maxAge: 0 },
      ],
    }),
    service("web", "app", {
      domain: "shop.example.com",
      routes: [{ route: "GET /", kind: "api", door: "public", maxAge: 0 }],
      crons: [{ name: "sweep", schedule: "0 4 * * *", timezone: "UTC", deadline: 180_000 }],
      secrets: ["MAIL_KEY"],
      grants: [
        { kind: "bucket", name: "photos", operations: ["get", "signedPut"], at },
        { kind: "endpoint", name: "desk GET /desk", operations: ["call"], at },
        { kind: "entity", name: "orders", operations: ["get", "put"], at },
        { kind: "job", name: "rebuild", operations: ["start"], at },
        { kind: "queue", name: "emails", operations: ["send"], at },
        { kind: "secret", name: "MAIL_KEY", operations: ["value"], at },
        { kind: "topic", name: "placed", operations: ["publish"], at },
        { kind: "users", name: "", operations: ["get"], role: "viewer", at },
      ],
      framework: [
        { kind: "entity", name: "_fw_sessions", operations: ["create", "get"] },
        { kind: "event", name: "auth.first-sign-in", operations: ["send"] },
        { kind: "entity", name: "_fw_commits", operations: ["create", "get"] },
      ],
    }),
    service("web-placed", "subscribe", { receives: { source: { kind: "topic", name: "placed" }, delivery } }),
    service("web-rebuild", "runner", {
      receives: { source: { kind: "job", name: "rebuild" }, delivery: { ...delivery, maxAttempts: 3 }, tasks: 4 },
      grants: [{ kind: "entity", name: "orders", operations: ["get"], at }],
    }),
    service("web-relay", "singleton", {
      framework: [{ kind: "lease", name: "singleton:relay", operations: ["hold"] }],
    }),
    service("web-send", "worker", {
      receives: { source: { kind: "queue", name: "emails" }, delivery: { ...delivery, rateLimit: 10 } },
    }),
    service("web-uploaded", "subscribe", {
      receives: { source: { kind: "event", name: "bucket.uploaded:photos" }, delivery },
    }),
  ],
  resources: {
    entities: [
      {
        name: "orders",
        id: "id",
        indexed: [
          { name: "at", many: false },
          { name: "buyer", many: false },
        ],
        indexes: [
          [
            { field: "buyer", direction: "asc" },
            { field: "at", direction: "desc" },
          ],
        ],
      },
    ],
    buckets: ["photos"],
    queues: ["emails"],
    topics: ["placed"],
    jobs: ["rebuild"],
    counters: ["orders-placed"],
    histograms: ["upload_bytes"],
    channels: [
      { name: "oncall", email: "oncall@example.com" },
      { name: "chat", webhook: "CHAT_URL" },
    ],
    alerts: [
      {
        name: "errors",
        condition: {
          kind: "ratio",
          of: { metric: "requests", kind: "counter", service: "web", labels: { status: "5xx" } },
          to: { metric: "requests", kind: "counter", service: "web", labels: {} },
          comparison: "above",
          threshold: 0.02,
        },
        every: 300_000,
        for: 60_000,
        notify: ["oncall", "chat"],
      },
      {
        name: "slow",
        condition: {
          kind: "percentile",
          of: { metric: "request_ms", kind: "histogram", service: "web", labels: { route: "GET /" } },
          quantile: 0.95,
          comparison: "above",
          threshold: 800,
        },
        every: 300_000,
        for: 0,
        notify: ["oncall"],
      },
      {
        name: "silence",
        condition: { kind: "absent", of: { metric: "orders-placed", kind: "counter", labels: {} } },
        every: 1_800_000,
        for: 0,
        notify: [],
      },
    ],
  },
  signIn: { password: true, social: true },
  identities: [],
};

export const declaredShop: ResourceInputs = inputsOf(shop);

/** The shop with only two services, a worker and an entity, for tests that deploy often. */
export const declaredStall: ResourceInputs = inputsOf({
  ...shop,
  services: [
    service("desk", "app"),
    service("web", "app", {
      routes: [{ route: "GET /", kind: "api", door: "public", maxAge: 0 }],
      grants: [{ kind: "entity", name: "orders", operations: ["get", "put"], at }],
    }),
    service("web-send", "worker", { receives: { source: { kind: "queue", name: "emails" }, delivery } }),
  ],
  resources: {
    entities: shop.resources.entities,
    buckets: [],
    queues: ["emails"],
    topics: [],
    jobs: [],
    counters: [],
    histograms: [],
    channels: [],
    alerts: [],
  },
  signIn: { password: false, social: false },
});

function inputsOf(manifest: Manifest): ResourceInputs {
  return {
    manifest,
    place: { app: "shop", env: "test", project: "demo-fw", projectNumber: "123456789012", region: "europe-west1" },
    images: Object.fromEntries(
      manifest.services.map(({ name }) => [name, `europe-west1-docker.pkg.dev/demo-fw/fw/shop-test@sha256:${name}`]),
    ),
  };
}
