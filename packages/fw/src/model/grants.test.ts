import { expect, test } from "vitest";
import type { Declaration, Package } from "./app.ts";
import { cloudUses, frameworkUses, laptopUses } from "./framework-uses.ts";
import { grantsOf } from "./grants.ts";
import { clientServicesOf, type Service } from "./services.ts";
import type { EntryUses, Use } from "./uses.ts";

const at = { path: "shop/shop.ts", line: 1, column: 1, endLine: 1, endColumn: 2 };
const declaration = { module: "shop/shop.ts", variable: "handle", exported: true, at };
const part: Package = { name: "shop", dir: "shop", service: "shop", declarations: [] };
const service: Service = { name: "shop", kind: "worker", package: part, entries: [declaration] };

function use(kind: Use["kind"], name: string, operation: string, line = 1): Use {
  return { kind, name, operation, at: { ...at, line } };
}

function entry(variable: string, ...uses: readonly Use[]): EntryUses {
  return { module: "shop/shop.ts", variable, uses, transacts: false, asksVisitor: false };
}

function accounts(...operations: readonly string[]): readonly EntryUses[] {
  return [entry("handle", ...operations.map((each) => use("users", "", each)))];
}

test.each([
  ["viewer", ["get"]],
  ["viewer", ["byEmail", "get", "list"]],
  ["admin", ["create"]],
  ["admin", ["get", "grant"]],
  ["admin", ["delete", "disable", "enable", "revoke"]],
] as const)("calls of account management take the identity role of their kind: %s", (role, operations) => {
  expect(grantsOf(service, accounts(...operations))).toEqual([{ kind: "users", name: "", operations, role, at }]);
});

test("a service that calls none of it is granted nothing of it", () => {
  expect(grantsOf(service, [entry("handle"), entry("other", use("users", "", "create"))])).toEqual([]);
});

test("the uses of all entries are granted once, with the first place", () => {
  const entries = [declaration, { ...declaration, variable: "second" }];
  const grants = grantsOf({ ...service, entries }, [
    entry("handle", use("entity", "orders", "put", 9), use("bucket", "orders", "get", 4)),
    entry("second", use("entity", "orders", "get", 7), use("entity", "orders", "put", 12)),
  ]);
  expect(grants.map(({ kind, operations, at }) => [kind, operations, at.line])).toEqual([
    ["bucket", ["get"], 4],
    ["entity", ["get", "put"], 7],
  ]);
});

test.each([
  [["get", "list", "enable"], []],
  [["create"], ["entity _fw_registered: create, get", "event auth.registered: send"]],
  [["grant"], ["lease account: hold", "entity _fw_sessions: get, query, update", "entity _fw_session_marks: put"]],
  [["disable"], ["entity _fw_sessions: delete, query", "entity _fw_session_marks: put"]],
  [
    ["delete", "revoke"],
    [
      "entity _fw_sessions: delete, get, query, update",
      "entity _fw_session_marks: put",
      "entity _fw_seen: delete",
      "entity _fw_registered: delete",
      "lease account: hold",
    ],
  ],
])("beside %j of accounts the framework needs %j", (operations, expected) => {
  const app = { name: "shop", packages: [part], types: {} };
  const found = frameworkUses(app, service, accounts(...operations));
  expect(found.map(({ kind, name, operations }) => `${kind} ${name}: ${operations.join(", ")}`)).toEqual(expected);
});

test("one service begins sessions; the others that people visit read them, and an account when one is stale", () => {
  const auth: Declaration = { kind: "auth", declaration, social: true, password: false };
  const site: Declaration = {
    kind: "cron",
    declaration,
    name: "n",
    schedule: "* * * * *",
    timezone: "UTC",
    deadline: 1,
  };
  const status: Declaration = { kind: "status", declaration };
  const first = { ...part, name: "a", service: "a", declarations: [site, status] };
  const second = { ...part, name: "b", service: "b", declarations: [site, auth] };
  const app = { name: "shop", packages: [first, second], types: {} };
  const grantsIn = (name: string, pkg: Package): readonly string[] =>
    frameworkUses(app, { ...service, name, kind: "app", package: pkg }, [])
      .filter(({ name }) => name !== "_fw_ticks")
      .map(({ kind, name, operations }) => `${kind} ${name}: ${operations.join(", ")}`);
  expect(grantsIn("a", first)).toEqual(["entity _fw_sessions: delete, get, update", "users : get"]);
  expect(grantsIn("b", second)).toEqual([
    "entity _fw_sessions: create, delete, get, update",
    "users : get, signIn",
    "entity _fw_session_marks: get",
    "entity _fw_seen: create, get",
    "event auth.first-sign-in: send",
    "entity _fw_registered: create, get",
    "event auth.registered: send",
  ]);
  expect(frameworkUses(app, { ...service, name: "b-work", package: second }, [])).toEqual([]);
});

test("without the social provider nobody makes an account by signing in, and none is told of", () => {
  const auth: Declaration = { kind: "auth", declaration, social: false, password: true };
  const cron = { kind: "cron", declaration, name: "n", schedule: "* * * * *", timezone: "UTC", deadline: 1 } as const;
  const own = { ...part, name: "b", service: "b", declarations: [auth, cron] };
  const app = { name: "shop", packages: [own], types: {} };
  const found = frameworkUses(app, { ...service, name: "b", kind: "app", package: own }, []);
  expect(found.filter(({ kind }) => kind === "event").map(({ name }) => name)).toEqual(["auth.first-sign-in"]);
  expect(found.map(({ name }) => name)).not.toContain("_fw_registered");
});

test("a service to which it does not matter who comes reads no sessions", () => {
  const auth: Declaration = { kind: "auth", declaration, social: true, password: false };
  const route = { pattern: "GET /", method: "GET", segments: [] };
  const endpoint: Declaration = {
    kind: "api",
    declaration,
    route,
    settings: { signIn: false, private: false },
    request: { bound: [], body: [], carries: "nothing" },
    response: { kind: "void" },
  };
  const grantsIn = (asksVisitor: boolean, ...declarations: readonly Declaration[]): readonly string[] => {
    const pkg = { ...part, name: "b", service: "b", declarations };
    const door = { ...part, name: "a", service: "a", declarations: [auth, endpoint] };
    const app = { name: "shop", packages: [door, pkg], types: {} };
    const own = { ...service, name: "b", kind: "app", package: pkg, entries: [declaration] } as const;
    return frameworkUses(app, own, [{ ...entry("handle"), asksVisitor }]).map(({ name }) => name);
  };
  const cron: Declaration = {
    kind: "cron",
    declaration,
    name: "n",
    schedule: "* * * * *",
    timezone: "UTC",
    deadline: 1,
  };
  expect(grantsIn(false, cron)).toEqual(["_fw_ticks"]);
  expect(grantsIn(false, endpoint)).toEqual([]);
  expect(grantsIn(true, endpoint)).toEqual(["_fw_sessions", ""]);
  expect(grantsIn(false, { kind: "status", declaration })).toEqual(["_fw_sessions", ""]);
});

test("on a laptop one service answers the signed URLs of all, and test users sign in where everybody does", () => {
  const declarations: readonly Declaration[] = [
    { kind: "bucket", declaration, name: "photos" },
    { kind: "cron", declaration, name: "n", schedule: "* * * * *", timezone: "UTC", deadline: 1 },
  ];
  const shop = { ...part, declarations };
  const auth: Declaration = { kind: "auth", declaration, social: true, password: false };
  const first = { ...shop, name: "a", service: "a", declarations: [...declarations, auth] };
  const app = { name: "shop", packages: [first, shop], types: {} };
  const own: Service = { ...service, kind: "app", package: shop };
  const uses = [entry("handle", use("bucket", "photos", "signedPut")), entry("o", use("bucket", "art", "signedGet"))];
  const grantsIn = (name: string): readonly string[] => {
    const all = laptopUses(app, { ...own, name }, uses);
    return all.map(({ kind, name, operations }) => `${kind} ${name}: ${operations.join(", ")}`);
  };
  expect(grantsIn("a")).toEqual(["users : testUser", "bucket photos: put", "bucket art: get"]);
  expect(grantsIn("shop")).toEqual([]);
});

test("clients reach the service that answers signed URLs, whether its package declares a bucket or not", () => {
  const cron: Declaration = {
    kind: "cron",
    declaration,
    name: "n",
    schedule: "* * * * *",
    timezone: "UTC",
    deadline: 1,
  };
  const store = { ...part, name: "store", service: "store" };
  const bucket: Declaration = { kind: "bucket", declaration, name: "photos" };
  const reachable = (...ofStore: readonly Declaration[]): readonly string[] => {
    const packages = [
      { ...part, declarations: [cron] },
      { ...store, declarations: ofStore },
    ];
    return clientServicesOf({ name: "shop", packages, types: {} });
  };
  expect(reachable(bucket)).toEqual(["shop"]);
  expect(reachable(bucket, cron)).toEqual(["store"]);
  expect(reachable(cron)).toEqual([]);
});

test.each<[string, readonly Use[], readonly string[]]>([
  ["gets documents", [use("entity", "orders", "get")], []],
  [
    "queries documents",
    [use("entity", "orders", "query")],
    ["entity _fw_keys: create, get", "entity _fw_indexes: get"],
  ],
  [
    "writes documents",
    [use("entity", "orders", "update")],
    ["entity _fw_indexes: create, get, update", "entity _fw_commits: create, get"],
  ],
  ["lists accounts", [use("users", "", "list")], ["entity _fw_keys: create, get"]],
  ["sends, and keeps nothing", [use("queue", "emails", "send")], []],
  ["keeps documents and sends", [use("entity", "orders", "get"), use("topic", "placed", "publish")], []],
])("a service that %s needs of the framework's own documents in the cloud %j", (_, uses, expected) => {
  const app = { name: "shop", packages: [part], types: {} };
  const found = cloudUses(app, service, [entry("handle", ...uses)]);
  expect(found.map(({ kind, name, operations }) => `${kind} ${name}: ${operations.join(", ")}`)).toEqual(expected);
});

const waiting = ["entity _fw_outbox: create, delete, query, update", "entity _fw_commits: create, get"];

test.each<[string, readonly Use[], readonly string[]]>([
  ["keeps documents", [use("entity", "orders", "get")], []],
  ["writes objects", [use("bucket", "photos", "put")], []],
  ["sends to a queue, and keeps nothing", [use("queue", "emails", "send")], waiting],
  [
    "publishes to a topic, and keeps documents",
    [use("entity", "orders", "get"), use("topic", "t", "publish")],
    waiting,
  ],
  ["starts a job", [use("job", "recount", "start")], waiting],
])("of a service that begins transactions and %s messages wait among the documents: %j", (_, uses, expected) => {
  const app = { name: "shop", packages: [part], types: {} };
  const grantsIn = (transacts: boolean, variable: string): readonly string[] =>
    cloudUses(app, service, [{ ...entry("handle", ...uses) }, { ...entry(variable), transacts }]).map(
      ({ kind, name, operations }) => `${kind} ${name}: ${operations.join(", ")}`,
    );
  expect(grantsIn(true, "handle")).toEqual(expected);
  expect(grantsIn(false, "handle")).toEqual([]);
  expect(grantsIn(true, "anotherServices")).toEqual([]);
});

test("a service with forms that keeps data needs the key that they are sealed with, and one without data has nowhere to look", () => {
  const page: Declaration = {
    kind: "page",
    declaration,
    route: { pattern: "POST /", method: "POST", segments: [] },
    settings: { signIn: false, private: false },
    request: { bound: [], body: [], carries: "nothing" },
    response: { kind: "void" },
  };
  const own = { ...part, declarations: [page] };
  const app = { name: "shop", packages: [own], types: {} };
  const found = (...uses: readonly Use[]): readonly string[] =>
    cloudUses(app, { ...service, kind: "app", package: own }, [entry("handle", ...uses)]).map(({ name }) => name);
  expect(found(use("bucket", "photos", "get"))).toEqual(["_fw_keys"]);
  expect(found(use("secret", "KEY", "value"))).toEqual([]);
});
