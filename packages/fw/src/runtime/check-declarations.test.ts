import { beforeEach, expect, test } from "vitest";
import { beginDeclaring, takeDeclared, type DeclarationRecord } from "../declare/declaration-records.ts";
import * as fw from "../declare/index.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";
import { kinds } from "../model/kinds.ts";
import type { Bundle } from "./bundle.ts";
import { checkDeclared, endLoading } from "./check-declarations.ts";
import { apis, bundleOf } from "./testing/app.ts";

beforeEach(() => void beginDeclaring());

const empty = (): Bundle => bundleOf([]);
const nothing = (): void => {};
const declare = fw as unknown as Readonly<Record<string, (...given: unknown[]) => { readonly kind: string }>>;
const argumentsByFunction: Readonly<Record<string, readonly unknown[]>> = {
  API: ["GET /a", nothing],
  Page: ["GET /a", nothing],
  Auth: [{ password: true }],
  RequireRole: [{ kind: "role", name: "a" }],
};

test("every function that declares something notes that it did", () => {
  for (const [kind, { functions }] of Object.entries(kinds)) {
    for (const name of functions) {
      const made = declare[name]?.(...(argumentsByFunction[name] ?? ["a", nothing, nothing]));
      expect([name, takeDeclared()]).toEqual([name, [made]]);
      expect([name, made?.kind, Object.isFrozen(made)]).toEqual([name, kind, true]);
    }
  }
});

test("of each kind a declaration that the wiring does not know is refused, but for policies, which count where routes have them", () => {
  const others = Object.entries(kinds).filter(([kind]) => kind !== "policy" && kind !== "role");
  for (const [, { functions }] of others) {
    declare[functions[0]]?.(...(argumentsByFunction[functions[0]] ?? ["a", nothing, nothing]));
    expect(() => checkDeclared(empty()), functions[0]).toThrow("fw did not find it in the source");
  }
  fw.Policy(nothing);
  expect(() => checkDeclared(empty())).not.toThrow();
});

test("roles, secrets, alerts and channels are known by their names, whoever declares them again", () => {
  const auth = { social: true, password: false, roles: ["clerk"] };
  const bundle: Bundle = {
    ...empty(),
    auth,
    secrets: ["KEY"],
    alerts: [{ name: "slow" } as never],
    channels: ["oncall"],
  };
  fw.Role("clerk");
  fw.Secret("KEY");
  declare["Alert"]?.("slow", {});
  declare["Channel"]?.("oncall", {});
  expect(() => checkDeclared(bundle)).not.toThrow();
  fw.Role("editor");
  fw.Secret("OTHER");
  expect(() => checkDeclared(bundle)).toThrow('Role("editor"), Secret("OTHER"): fw did not find them in the source');
});

test("what code names of other services is known by kind and name, as often as it is declared there", () => {
  const cron = (): unknown => fw.Cron("digest", "every 15m", nothing);
  cron();
  expect(() => checkDeclared(empty(), ["cron digest"])).not.toThrow();
  [cron(), cron()].forEach(nothing);
  expect(() => checkDeclared(empty(), ["cron digest"])).toThrow('Cron("digest"): fw did not find it in the source');
});

const Anyone = fw.Policy(nothing);
const Nobody = fw.Policy(nothing);

test.each([
  ["policy", { allow: { declaration: Nobody, name: "Nobody" } }],
  ["signIn", { signIn: false, declaration: fw.API("GET /a", nothing, { signIn: true }) }],
  ["private", { private: true }],
  ["maxAge", { maxAge: 60 }],
  ["route", { route: "GET /b" }],
])("a route that has another %s in the source than when the application loads is refused", (what, change) => {
  const [sound] = apis({ "GET /a": {} }).map((row) => ({ ...row, declaration: fw.API("GET /a", nothing) }));
  const [guarded] = apis({ "GET /a": {} }).map((row) => ({
    ...row,
    signIn: true,
    allow: { declaration: Anyone, name: "Anyone" },
    declaration: fw.API("GET /a", nothing, { allow: Anyone }),
  }));
  if (!sound || !guarded) throw new Error("no route");
  const row = what === "policy" ? guarded : sound;
  takeDeclared();
  expect(() => checkDeclared(bundleOf([row]))).not.toThrow();
  expect(() => checkDeclared(bundleOf([{ ...row, ...change }]))).toThrow(
    `has a different ${what} when the application loads`,
  );
});

test("a name that is another one in the source is refused", () => {
  const declaration = fw.Bucket("photos");
  const bundle = { ...empty(), buckets: [{ declaration, name: "images" }] };
  expect(() => checkDeclared(bundle)).toThrow(
    'Bucket("photos") has a different name when the application loads than in the source',
  );
});

test.each([["source"], ["application"]])(
  "data that belongs to tenants only as far as the %s knows is refused when the application loads",
  (side) => {
    const orgs = fw.Tenant("orgs", () => undefined);
    const settings = side === "application" ? { tenant: orgs } : {};
    const rows = {
      tenants: [{ declaration: orgs, name: "orgs", field: "org" }],
      limits: [{ declaration: fw.Limit("posts", "5/h", settings), name: "posts" }],
      buckets: [{ declaration: fw.Bucket("files", settings), name: "files" }],
      feeds: [{ declaration: fw.Feed("chats", settings) as never, name: "chats" }],
      destinations: [{ declaration: fw.Queue("mails", settings) as never, name: "mails" } as never],
    };
    takeDeclared();
    for (const kind of ["limits", "buckets", "feeds", "destinations"] as const) {
      const [{ declaration }] = rows[kind] as unknown as [{ declaration: DeclarationRecord }];
      const source: WrittenSettings = {
        ...(side === "source" && { tenant: "orgs" }),
        ...(kind === "limits" && { rate: "5/h" }),
      };
      const bundle = { ...empty(), tenants: rows.tenants, [kind]: rows[kind] };
      const written = { declarations: [[declaration, source] as const], byLabel: [] };
      expect(() => checkDeclared({ ...bundle, written }), kind).toThrow(
        "has a different tenant when the application loads",
      );
    }
  },
);

test("once an application has loaded, only what it knows by name is declared again", () => {
  endLoading({ ...empty(), secrets: ["KEY"] });
  expect(() => fw.Secret("KEY")).not.toThrow();
  expect(() => fw.Queue("late")).toThrow('Queue("late") is declared while the application runs');
});
