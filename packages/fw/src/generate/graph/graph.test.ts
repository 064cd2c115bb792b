import { expect, test } from "vitest";
import type { App, Endpoint, Package } from "../../model/app.ts";
import type { Entity } from "../../model/entity.ts";
import { graph, graphText } from "./graph.ts";
import { club } from "../testing/club.ts";
import { mail } from "../testing/mail.ts";

const at = { path: "shop/orders.ts", line: 7, column: 14, endLine: 7, endColumn: 20 };

function endpoint(pattern: string, kind: Endpoint["kind"], settings: Partial<Endpoint["settings"]> = {}): Endpoint {
  return {
    kind,
    declaration: { module: at.path, variable: "x", exported: true, at },
    route: { pattern, method: pattern.split(" ")[0] ?? "", segments: [] },
    settings: { signIn: false, private: false, ...settings },
    request: { bound: [], body: [], carries: "nothing" },
    response: { kind: "void" },
  };
}

const shop: Package = {
  name: "shop",
  dir: "shop",
  service: "shop-web",
  declarations: [
    {
      kind: "service",
      declaration: { module: at.path, variable: "web", exported: true, at },
      domain: "shop.example.com",
      profile: "latency",
    },
    endpoint("GET /", "page", { maxAge: 600 }),
    endpoint("GET /orders/{id}", "api", { signIn: true }),
    endpoint("POST /orders", "api", { signIn: true, allow: { module: at.path, variable: "canBuy" } }),
    endpoint("DELETE  /orders", "api", { private: true }),
  ],
};

const app: App = {
  name: "acme",
  packages: [{ name: "acme", dir: "", service: "acme", declarations: [] }, shop],
  types: {},
};

test("the graph names services, routes, doors and domains", () => {
  expect(graphText(graph(app))).toBe(`acme  (., profile default, no domain)

shop-web  (shop, profile latency, shop.example.com)
  GET     /             page  public          cached 600s  shop/orders.ts:7
  GET     /orders/{id}  api   signed in                    shop/orders.ts:7
  POST    /orders       api   policy canBuy                shop/orders.ts:7
  DELETE  /orders       api   other services               shop/orders.ts:7
  runs shop-web  profile latency, 2 cpu, 1Gi, 1 to 100 instances, 80 at a time, timeout 1m
`);
});

test("the graph names policies with their roles, providers, roles and secrets", () => {
  expect(graphText(graph(club))).toBe(`access  (access, profile default, no domain)
  sign-in by social  access/auth.ts:1
  role owner  access/roles.ts:1
  role editor  access/roles.ts:1
  secret MAIL_KEY  access/mail.ts:1

club  (club, profile default, no domain)
  GET     /    api  public                               club/club.ts:1
  GET     /me  api  signed in                            club/club.ts:1
  POST    /    api  policy IsEditor (editor or owner)    club/club.ts:1
  POST    /me  api  policy Verified                      club/club.ts:1
  DELETE  /    api  policy IsEditor (editor or owner)    club/club.ts:1
  sign-in by email  club/club.ts:1
  role editor  club/club.ts:1
  secret MAP_KEY  club/club.ts:1
  secret MAIL_KEY  club/club.ts:1
`);
});

test("the graph as data has policies with their roles, providers, roles and secrets", () => {
  const { services } = graph(club);
  expect(services[0]).toMatchObject({
    auth: [{ providers: ["social"], at: "access/auth.ts:1" }],
    roles: [
      { name: "owner", at: "access/roles.ts:1" },
      { name: "editor", at: "access/roles.ts:1" },
    ],
    secrets: [{ name: "MAIL_KEY", at: "access/mail.ts:1" }],
  });
  expect(services[1]?.routes.map(({ door }) => door)).toEqual([
    { kind: "public" },
    { kind: "signIn" },
    { kind: "policy", policy: "IsEditor", roles: ["editor", "owner"] },
    { kind: "policy", policy: "Verified" },
    { kind: "policy", policy: "IsEditor", roles: ["editor", "owner"] },
  ]);
});

test("the graph as data is plain JSON", () => {
  const data = graph(app);
  expect(JSON.parse(JSON.stringify(data))).toEqual(data);
  expect(data.services[1]?.routes[2]).toEqual({
    method: "POST",
    path: "/orders",
    kind: "api",
    door: { kind: "policy", policy: "canBuy" },
    maxAge: null,
    at: "shop/orders.ts:7",
  });
});

test("the graph lists entities, and composite indexes with the code that needs them", () => {
  const entity: Entity = {
    kind: "entity",
    declaration: { module: at.path, variable: "orders", exported: true, at },
    name: "orders",
    id: "id",
    indexed: [
      { name: "buyer", many: false },
      { name: "tags", many: true },
    ],
    transient: [],
  };
  const fields = [
    { field: "buyer", direction: "asc" },
    { field: "placed", direction: "desc" },
  ] as const;
  const ownKeys: App = {
    name: "acme",
    packages: [{ name: "acme", dir: "", service: "acme", declarations: [entity] }],
    types: {},
    indexes: [{ entity: "orders", fields, neededBy: [at] }],
  };
  expect(graphText(graph(ownKeys))).toBe(`acme  (., profile default, no domain)
  entity orders  by buyer, tags  shop/orders.ts:7

indexes
  orders  (buyer asc, placed desc)  shop/orders.ts:7
`);
});

test("the graph lists buckets, queues, topics and jobs with who receives from them, crons and singletons", () => {
  expect(graphText(graph(mail))).toBe(`jobs  (jobs, profile default, no domain)
  runner jobs-sorting  of job sort  jobs/jobs.ts:1
  subscribe jobs-scan  of event bucket.uploaded:scans  jobs/jobs.ts:1
  cron nightly  0 3 * * *  Europe/Zurich  jobs/jobs.ts:1
  singleton relay  jobs-relay  jobs/jobs.ts:1

mail  (mail, profile default, no domain)
  bucket scans  to jobs-scan  mail/queues.ts:1
  bucket stamps  mail/queues.ts:1
  queue letters  to mail-post  mail/queues.ts:1
  topic letter-sent  without receivers  mail/topics.ts:1
  job sort  to jobs-sorting  mail/queues.ts:1
  job weigh  without receivers  mail/queues.ts:1
  worker mail-post  of queue letters  mail/queues.ts:1
`);
});

test("the graph as data has background work", () => {
  const [jobs, letters] = graph(mail).services;
  expect(jobs).toMatchObject({
    receivers: [
      { kind: "runner", service: "jobs-sorting", source: "job sort", at: "jobs/jobs.ts:1" },
      { kind: "subscribe", service: "jobs-scan", source: "event bucket.uploaded:scans", at: "jobs/jobs.ts:1" },
    ],
    crons: [{ name: "nightly", schedule: "0 3 * * *", timezone: "Europe/Zurich", at: "jobs/jobs.ts:1" }],
    singletons: [{ name: "relay", service: "jobs-relay", at: "jobs/jobs.ts:1" }],
  });
  expect(letters?.queues).toEqual([{ name: "letters", receivers: ["mail-post"], at: "mail/queues.ts:1" }]);
  expect(letters).not.toHaveProperty("crons");
});

test("a route's status and the bound of its bodies are in the graph", () => {
  const routes = [endpoint("POST /books", "api", { status: 201, maxBody: 10_485_760, maxAge: 60 })];
  const data = graph({ ...app, packages: [{ ...shop, declarations: routes }] });
  expect(data.services[0]?.routes[0]).toMatchObject({ status: 201, maxBody: 10_485_760 });
  expect(graphText(data)).toContain("public  cached 60s, answers 201, takes 10MB  shop/orders.ts:7");
});
