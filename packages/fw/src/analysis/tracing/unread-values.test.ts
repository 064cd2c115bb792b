import { expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

/** A package next to `fw` that re-exports and wraps it, and creates declarations itself. */
const kit = `
-- node_modules/kit/package.json --
{ "name": "kit", "version": "1.0.0", "type": "module", "types": "./kit.d.ts", "exports": { ".": { "types": "./kit.d.ts", "default": "./kit.js" } } }
-- node_modules/kit/kit.js --
export * from "fw";
-- node_modules/kit/kit.d.ts --
import type { EndpointDeclaration, PolicyDeclaration, QueueDeclaration } from "fw";
export * from "fw";
export declare function endpoint(route: string): EndpointDeclaration<{}, string>;
export declare function queues(): { readonly mails: QueueDeclaration<string>; readonly all: readonly string[] };
export declare function tagged(parts: TemplateStringsArray): QueueDeclaration<string>;
export declare const signedIn: PolicyDeclaration;
export declare const lookup: Record<string, PolicyDeclaration>;
export declare class Made { readonly queue: QueueDeclaration<string>; constructor(); }
export declare function loaded(): Promise<QueueDeclaration<string>>;
export declare function same<T>(value: T): T;
`;

/** Returns the lines of `a.ts` whose values are declarations according to TypeScript, with their types. */
async function unread(code: string, more = ""): Promise<readonly string[]> {
  await using app = await writeTypedApp(`-- a.ts --\n${code}\n${more}${kit}`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    const types = await analyzer.typeDiagnostics();
    return [...diagnostics, ...types].map(({ code: id, at, message }) => {
      const type = /has the type (\w+)/.exec(message)?.[1];
      return `${at.path}:${at.line} ${id} ${type ?? message}`;
    });
  } finally {
    analyzer.close();
  }
}

test("declarations in packages of others are reported at their line", async () => {
  const code = `import * as kit from "kit";
import { API, endpoint, queues, tagged, loaded, Made } from "kit";
export const again = API("GET /again", (): string => "a");
export const member = kit.Queue<string>("mails");
export const made = endpoint("GET /made");
export const { mails } = queues();
export const part = queues().mails;
export const tag = tagged\`mails\`;
export const later = await loaded();
export const queue = new Made().queue;
export const one = process.env["X"] ? endpoint("GET /x") : undefined;
export const held = { inner: [endpoint("GET /held")] };
export const annotated: unknown = endpoint("GET /annotated");
endpoint("GET /alone");
export default endpoint("GET /default");`;
  expect(await unread(code)).toEqual([
    "a.ts:3 fw/not-traced EndpointDeclaration",
    "a.ts:4 fw/not-traced QueueDeclaration",
    "a.ts:5 fw/not-traced EndpointDeclaration",
    "a.ts:6 fw/not-traced QueueDeclaration",
    "a.ts:7 fw/not-traced QueueDeclaration",
    "a.ts:8 fw/not-traced QueueDeclaration",
    "a.ts:9 fw/not-traced QueueDeclaration",
    "a.ts:10 fw/not-traced QueueDeclaration",
    "a.ts:11 fw/not-traced EndpointDeclaration",
    "a.ts:12 fw/not-traced EndpointDeclaration",
    "a.ts:13 fw/not-traced EndpointDeclaration",
    "a.ts:14 fw/not-traced EndpointDeclaration",
    "a.ts:15 fw/not-traced EndpointDeclaration",
  ]);
});

test("a declaration in a package is reported where it is imported", async () => {
  const code = `import { signedIn, lookup, same } from "kit";
import { signedIn as again, type Made } from "kit";
import { join } from "node:path";
export type { Made };
export const all = [signedIn, again, lookup, same, join];`;
  expect(await unread(code)).toEqual([
    "a.ts:1 fw/not-traced PolicyDeclaration",
    "a.ts:2 fw/not-traced PolicyDeclaration",
  ]);
});

test("untyped imports of a package built on fw are reported", async () => {
  const untyped = (name: string, more: string): string => `
-- node_modules/${name}/package.json --
{ "name": "${name}", "type": "module", "exports": { "types": "./index.d.ts", "default": "./index.js" }${more} }
-- node_modules/${name}/index.d.ts --
declare const all: any;
export default all;
`;
  const code = `import plain from "plain";
import built from "@own/built";
export const one = built.API("GET /one", () => "a");
export const other = plain.make();`;
  const packages = untyped("plain", "") + untyped("@own/built", ', "peerDependencies": { "fw": "*" }');
  expect(await unread(code, packages)).toEqual(["a.ts:2 fw/not-traced any"]);
});

test("a function that the global object has is told", async () => {
  const code = `import type * as fw from "fw";
declare global { var Route: typeof fw.API; }
export const one = globalThis.Route("GET /one", (): string => "a");
declare const Ambient: typeof fw.API;
export const other = Ambient("GET /other", (): string => "a");`;
  expect(await unread(code)).toEqual([
    "a.ts:3 fw/not-traced EndpointDeclaration",
    "a.ts:5 fw/not-traced EndpointDeclaration",
  ]);
});

test("what is read, other names of it and values of other types are not told", async () => {
  const code = `import { API, Auth, Entity, Queue, type ID } from "fw";
import { same } from "kit";
import { Things } from "./declare/things.ts";
import { other } from "./b.ts";
export const items = Entity<{ id: ID }>("items");
export const mails = Queue<string>("mails");
export const auth = Auth({ password: true });
const { users } = auth;
const either = process.env["X"] ? mails : mails;
const kept = { mails, items } as const;
const taken = kept.mails;
const again = other;
const sizes = new Map([["a", same(1)]]);
const thing = new Things();
const text = same("a");
export const get = API("GET /a", async (ctx): Promise<string> => {
  void [users, either, taken, again, sizes, thing];
  await items.query().all(ctx);
  return text;
});`;
  const more = `-- b.ts --
import { Queue } from "fw";
export const other = Queue<string>("others");
-- declare/things.ts --
export class ThingsDeclaration { readonly name: string = "a"; }
export { ThingsDeclaration as Things };
`;
  expect(await unread(code, more)).toEqual([]);
});

test("a declaration that a save brings is told", async () => {
  const code = `import { make } from "./b.ts";\nexport const queue = make();`;
  await using app = await writeTypedApp(
    `-- a.ts --\n${code}\n-- b.ts --\nexport const make = (): number => 1;\n${kit}`,
  );
  const analyzer = openAnalyzer(app.root);
  try {
    await analyzer.analyze();
    expect(await analyzer.typeDiagnostics()).toEqual([]);
    await app.write("b.ts", `import { tagged } from "kit";\nexport const make = () => tagged\`a\`;\n`);
    await analyzer.update([{ path: "b.ts", kind: "changed" }]);
    const [found] = await analyzer.typeDiagnostics();
    expect(found).toMatchObject({ code: "fw/not-traced", at: { path: "a.ts", line: 2 } });
  } finally {
    analyzer.close();
  }
});
