import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { buildPlatforms, type BuildPlatform } from "../packages/fw/src/build/platform.ts";
import { triesMore } from "../packages/fw/src/lib/testing/tries.ts";
import { serviceSizes, type ServiceSize } from "./support/costs.ts";
import { writeApplication } from "./support/dev-app.ts";

const page = fileURLToPath(new URL("../docs/build.md", import.meta.url));

/** A service for each capability, next to a service with a single API that uses none. */
const withoutAccounts = `
-- plain/a.ts --
import { API } from "fw";
export const a = API("GET /plain", () => ({ a: 1 }));
-- body/a.ts --
import { API } from "fw";
export const a = API("POST /body", (_ctx, { name }: { name: string }) => ({ name }));
-- int64/a.ts --
import { API, type Int64 } from "fw";
export const a = API("POST /int64", (_ctx, { n }: { n: Int64 }) => ({ n }));
-- fields/a.ts --
import { API, type Header } from "fw";
export const a = API("GET /fields", (_ctx, { page }: { page?: Header<string, "X-Page"> }) => ({ page: page ?? "" }));
-- replies/a.ts --
import { API, reply } from "fw";
export const a = API("GET /replies", () => reply({ a: 1 }, { status: 201, headers: { "X-A": "1" } }));
-- blobs/a.ts --
import { API, blob } from "fw";
export const a = API("GET /blobs", () => blob("a", { type: "text/plain" }));
-- pages/a.ts --
import { Page, Site } from "fw";
export const site = Site("./public");
export const a = Page("GET /pages", (ctx) => site.fragment(ctx, "a.html", { a: 1 }));
-- pages/public/templates/a.html --
<p>{{a}}</p>
-- forms/a.ts --
import { Page, Site, type Form } from "fw";
export const site = Site("./public");
export const a = Page("POST /forms", (ctx, { a }: { a: Form<string> }) => site.fragment(ctx, "a.html", { a }));
-- forms/public/templates/a.html --
<p>{{a}}</p>
-- origins/a.ts --
import { API, Service } from "fw";
export const web = Service({ origins: ["https://a.example"] });
export const a = API("GET /origins", () => ({ a: 1 }));
-- mounts/a.ts --
import { Mount } from "fw";
export const a = Mount("/mounts", () => new Response("a"));
-- sockets/a.ts --
import { Socket, type Connection } from "fw";
export const a = Socket("GET /sockets", async (_ctx, _req, connection: Connection<string, string>) => {
  for await (const text of connection) connection.send(text);
});
-- callee/a.ts --
import { API } from "fw";
export const a = API("GET /callee", () => ({ a: 1 }));
-- caller/a.ts --
import { API } from "fw";
import { a as callee } from "../callee/a.ts";
export const a = API("GET /caller", (ctx) => callee.call(ctx, {}));
-- outgoing/a.ts --
import { API } from "fw";
export const a = API("GET /outgoing", async () => ({ status: (await fetch("https://a.example")).status }));
-- metrics/a.ts --
import { API, Counter } from "fw";
const asked = Counter("asked");
export const a = API("GET /metrics", (ctx) => { asked.add(ctx, 1); return { a: 1 }; });
-- entities/a.ts --
import { API, Entity, type ID } from "fw";
const notes = Entity<{ id: ID; text: string }>("notes");
export const a = API("GET /entities", (ctx) => notes.find(ctx, "a"));
-- buckets/a.ts --
import { API, Bucket } from "fw";
const photos = Bucket("photos");
export const a = API("GET /buckets", async (ctx) => ({ there: await photos.exists(ctx, "a") }));
-- messages/a.ts --
import { API, Queue } from "fw";
export const mail = Queue<{ to: string }>("mail");
export const a = API("GET /messages", async (ctx) => { await mail.send(ctx, { to: "a" }); return { a: 1 }; });
-- workers/a.ts --
import { Worker } from "fw";
import { mail } from "../messages/a.ts";
export const a = Worker(mail, async (ctx, { to }) => void ctx.log.info(to));
-- crons/a.ts --
import { Cron } from "fw";
export const a = Cron("tick", "0 4 * * *", async (ctx) => void ctx.log.info("tick"));
`;

const withAccounts = `
-- accounts/a.ts --
import { API, Auth } from "fw";
export const auth = Auth({ password: true });
export const a = API("GET /accounts", (ctx) => ({ email: ctx.user().email }), { signIn: true });
`;

/** The name of the capability, and the service that uses it. */
const rows: readonly (readonly [words: string, service: string])[] = [
  ["JSON request bodies", "body"],
  ["JSON bodies with `Int64`", "int64"],
  ["`Header` and `Cookie`", "fields"],
  ["replies with status, headers, cookies", "replies"],
  ["`Blob` responses and event streams", "blobs"],
  ["a site with pages", "pages"],
  ["a site with forms", "forms"],
  ["other origins (CORS)", "origins-web"],
  ["`Mount`", "mounts"],
  ["`Socket`", "sockets"],
  ["called by another service", "callee"],
  ["calls another service", "caller"],
  ["`fetch`, or packages that may send requests", "outgoing"],
  ["`Counter`, `Histogram`", "metrics"],
  ["`Entity`", "entities"],
  ["`Bucket`", "buckets"],
  ["`Queue`, `Topic`, `Job`: sending", "messages"],
  ["`Worker`, `Subscribe`, `Runner`", "workers-a"],
  ["`Cron`", "crons"],
  ["accounts: `Auth`", "accounts"],
];

async function measureServices(platform: BuildPlatform): Promise<ReadonlyMap<string, ServiceSize>> {
  const sizes = new Map<string, ServiceSize>();
  for (const text of [withoutAccounts, withAccounts]) {
    const root = writeApplication(Object.fromEntries(filesOf(text)));
    try {
      for (const [name, size] of await serviceSizes(root, platform)) sizes.set(name, size);
    } finally {
      rmSync(root, { recursive: true });
    }
  }
  return sizes;
}

/** The kilobytes of a row for each platform: loaded at start, and in total. */
type Costs = readonly number[];

function costsText(all: readonly (readonly [words: string, costs: Costs])[]): string {
  const head = "| a service of one API | local: loaded, kB | in all | gcp: loaded | in all |\n|---|---|---|---|---|\n";
  return head + all.map(([words, costs]) => `| ${words} | ${costs.join(" | ")} |\n`).join("");
}

/** The platforms to compare in a run. A capability costs about the same on each. */
const platforms = triesMore ? buildPlatforms : buildPlatforms.slice(0, 1);

test("docs/build.md says what each capability costs in kilobytes", async () => {
  const sizes: ReadonlyMap<string, ServiceSize>[] = [];
  for (const platform of platforms) sizes.push(await measureServices(platform));
  const costs = (service: string, baseline?: string): Costs =>
    sizes.flatMap((all) => {
      const [size, plain] = [all.get(service), baseline === undefined ? undefined : all.get(baseline)];
      if (size === undefined) throw new Error(`no service ${service} among ${[...all.keys()].join(", ")}`);
      return [size.loaded - (plain?.loaded ?? 0), size.all - (plain?.all ?? 0)].map((bytes) =>
        Math.round(bytes / 1_000),
      );
    });
  const all = [
    ["nothing else", costs("plain")] as const,
    ...rows.map(([words, service]) => [words, costs(service, "plain")] as const),
  ];
  const text = readFileSync(page, "utf8");
  const table = text.slice(text.indexOf("<!-- costs -->"), text.indexOf("<!-- /costs -->"));
  const rowsIn = table.split("\n").filter((line) => /\| \d/.test(line));
  const words = rowsIn.map((line) => line.split(" | ")[0]?.slice(2));
  expect(words, costsText(all)).toEqual(all.map(([each]) => each));
  const wrong = all.filter(([, expected], row) => {
    const said = (rowsIn[row] ?? "").split("|").slice(2, -1).map(Number);
    return expected.some((kilobytes, i) => Math.abs(kilobytes - (said[i] ?? NaN)) > Math.max(2, kilobytes / 10));
  });
  expect(wrong, `put this table into docs/build.md; FW_TRIES=1 measures all columns:\n${costsText(all)}`).toEqual([]);
});
