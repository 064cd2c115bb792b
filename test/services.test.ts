import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { startDev, writeApplication } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

function write(text: string): { readonly root: string } & Disposable {
  const root = writeApplication(Object.fromEntries(filesOf(text)));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

interface Service {
  readonly name: string;
  readonly profile: string;
  readonly domain: string | null;
  readonly site: string | null;
  readonly routes: readonly { readonly method: string; readonly path: string; readonly door: object }[];
}

async function graphOf(root: string): Promise<readonly Service[]> {
  const { code, out, err } = await fw(root, "gen", "graph", "--json");
  if (code !== 0) throw new Error(err);
  return (JSON.parse(out) as { services: Service[] }).services;
}

const harbour = `
-- ferries/timetable.ts --
import { API, Page } from "fw";
import { site } from "./site.ts";
export const next = API("GET /ferries/next", () => "9:15");
export const board = Page("GET /ferries", (ctx) => site.fragment(ctx, "board.html"), { signIn: true });
-- ferries/cargo/manifest.ts --
import { API } from "fw";
export const manifest = API("GET /manifest", () => "fish", { private: true });
-- ferries/site.ts --
import { Service, Site } from "fw";
export const site = Site("./public");
export const line = Service({ domain: "ferries.example.com", profile: "latency" });
-- ferries/public/templates/board.html --
<p>9:15</p>
-- ferries/public/map.svg --
<svg xmlns="http://www.w3.org/2000/svg"/>
`;

test("package = service: the API and Page handlers of one directory are one service, and its Site shares their origin", async () => {
  using app = write(harbour);
  const services = await graphOf(app.root);
  const routes = services.map(({ name, routes: own }) => [name, own.map(({ method, path }) => `${method} ${path}`)]);
  expect(routes).toEqual([
    ["cargo", ["GET /manifest"]],
    ["ferries-line", ["GET /ferries/next", "GET /ferries"]],
  ]);
  expect(services.map(({ site }) => site)).toEqual([null, "ferries/public"]);
});

test("a service is named `<package>-<variable>` where a Service is declared, else for its package", async () => {
  using app = write(harbour);
  expect((await graphOf(app.root)).map(({ name }) => name)).toEqual(["cargo", "ferries-line"]);
});

test("settings of one route sit on the route, settings of the whole service on the Service", async () => {
  using app = write(harbour);
  const [cargo, ferries] = await graphOf(app.root);
  expect(cargo).toMatchObject({ profile: "default", domain: null, routes: [{ door: { kind: "private" } }] });
  expect(ferries).toMatchObject({
    profile: "latency",
    domain: "ferries.example.com",
    routes: [{ door: { kind: "public" } }, { door: { kind: "signIn" } }],
  });
});

test("locally every package is served on one port", async () => {
  await using dev = await startDev(Object.fromEntries(filesOf(harbour)));
  expect(await dev.get("/ferries/next")).toMatchObject({ status: 200, body: '"9:15"' });
  expect(await dev.get("/map.svg")).toMatchObject({ status: 200 });
  expect(await dev.get("/manifest")).toMatchObject({ status: 403 });
});

test("the port is 8080 by default", async () => {
  using app = write(harbour);
  // The port is in use, by this test or by another program, and the error names it.
  const taken = createServer().listen(8080, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve).once("error", resolve));
  const { code, err } = await fw(app.root, "dev");
  taken.close();
  expect([code, err]).toEqual([2, expect.stringContaining("port 8080 is taken")]);
});

test("declarations are read from the source and the application is never run to find them", async () => {
  using app = write(`
-- pier/pier.ts --
import { writeFileSync } from "node:fs";
import { API } from "fw";
writeFileSync(new URL("../ran.txt", import.meta.url), "ran");
export const pier = API("GET /pier", () => "open");
throw new Error("nobody may run this");
`);
  const checked = await fw(app.root, "check");
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining("1 route") });
  expect(await graphOf(app.root)).toMatchObject([{ name: "pier", routes: [{ path: "/pier" }] }]);
  expect(existsSync(join(app.root, "ran.txt"))).toBe(false);
});

test("dev and check refuse to proceed while an error stands", async () => {
  const files = {
    "pier/pier.ts": `import { API } from "fw";\nexport const pier = API("GET /_fw/pier", () => "open");`,
  };
  await using dev = await startDev(files);
  const answer = await dev.get("/_fw/pier");
  expect(answer).toMatchObject({ status: 503, body: expect.stringContaining("pier/pier.ts:2:25") });
  expect(dev.output()).toContain("(fw/reserved-prefix)");
  expect(await fw(dev.root, "check")).toMatchObject({ code: 1, out: expect.stringContaining("(fw/reserved-prefix)") });
  expect(await fw(dev.root, "gen", "graph")).toMatchObject({ code: 2, out: "" });
});

test("templates are read before anything is served, and a mistake in one refuses to proceed", async () => {
  const files = Object.fromEntries(filesOf(harbour));
  const broken = { ...files, "ferries/public/templates/board.html": "<p>{{#if late}}late</p>" };
  await using dev = await startDev(broken);
  expect(await dev.get("/ferries/next")).toMatchObject({ status: 503 });
  const { code, out } = await fw(dev.root, "check");
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/^ferries\/public\/templates\/board\.html:1:\d+: .* \(template\)$/m),
  ]);
});

test("notFound names a template that exists", async () => {
  using app = write(harbour.replace('Site("./public")', 'Site("./public", { notFound: "bord.html" })'));
  const { code, out } = await fw(app.root, "check");
  expect(code).toBe(1);
  expect(out).toContain(
    'ferries/site.ts:2:14: notFound is "bord.html", but ferries/public/templates/ has no such template (template)',
  );
  expect(out).toContain('did you mean "board.html"?');
});

test("a profile is default, latency or batch", async () => {
  for (const profile of ["default", "latency", "batch"]) {
    using app = write(harbour.replace("latency", profile));
    expect((await graphOf(app.root)).find(({ name }) => name === "ferries-line")).toMatchObject({ profile });
  }
  using app = write(harbour.replace("latency", "fast"));
  const { code, out } = await fw(app.root, "check");
  expect([code, out]).toEqual([1, expect.stringContaining(`"profile" must be "default", "latency" or "batch"`)]);
});

test("an application needs no Node types of its own", async () => {
  using app = write(`
-- pier/pier.ts --
import { API, blob } from "fw";
import { readFile } from "node:fs/promises";
export const pier = API("GET /pier", async () => blob(await readFile("pier.png"), { type: "image/png" }));
`);
  expect(await fw(app.root, "check")).toMatchObject({ code: 0 });
});

test.each(devOptions)("the timeout of traffic is enforced, %s", async (_how, ...args) => {
  await using dev = await startDev(
    Object.fromEntries(
      filesOf(`
-- reports/reports.ts --
import { API, Service } from "fw";
export const web = Service({ traffic: { timeout: "1s" } });
export const endless = API("GET /endless", async (ctx): Promise<string> => {
  await new Promise(() => ctx.signal.addEventListener("abort", () => console.log("given up")));
  return "never";
});
`),
    ),
    ...args,
  );
  const { status, body } = await dev.get("/endless");
  expect([status, JSON.parse(body)]).toEqual([504, { error: "the service took too long to answer" }]);
  await dev.says("given up");
});
