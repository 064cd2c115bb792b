import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseOpenMetrics } from "../packages/fw/src/runtime/testing/open-metrics.ts";
import { build, startService } from "./support/build.ts";
import { startDev, writeApplication } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

/** Two services that add to the same counter. */
const files = {
  "shop/metrics.ts": `import { Counter, Histogram } from "fw";
export const placed = Counter("orders-placed");
export const bytes = Histogram("order_bytes");
`,
  "shop/shop.ts": `import { API, type Path } from "fw";
import { placed, bytes } from "./metrics.ts";
export const place = API("POST /orders/{id}", (ctx, { id }: { id: Path }) => { placed.add(ctx, 2); bytes.observe(ctx, id.length); });
export const broken = API("GET /broken", (): string => { throw new Error("no"); });
`,
  "back/back.ts": `import { API } from "fw";
import { placed } from "../shop/metrics.ts";
export const refill = API("POST /refill", (ctx) => { placed.add(ctx, 5); });
`,
};

let root: string;
beforeAll(async () => {
  root = writeApplication(files);
  await build(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Returns the scraped metrics, one sample per line, without buckets and times. */
async function scraped(url: string, headers: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const answer = await fetch(`${url}/_fw/z/metrics`, { headers });
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    200,
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
    "no-store",
  ]);
  const families = parseOpenMetrics(await answer.text());
  const samples = [...families.values()].flatMap((family) => family.samples);
  return samples
    .filter(({ name }) => !/_bucket$|^request_ms_sum$/.test(name))
    .map(({ name, labels, value }) => [name, ...[...labels].map((pair) => pair.join("=")), value].join(" "))
    .toSorted();
}

async function use(url: string): Promise<void> {
  for (const id of ["7", "1234"]) await fetch(`${url}/orders/${id}`, { method: "POST" });
  for (const path of ["/broken", "/nowhere", "/nowhere/else"]) await fetch(`${url}${path}`);
}

const counters = [
  "order_bytes_count 2",
  "order_bytes_sum 5",
  "orders_placed_total 4",
  "request_ms_count route=<unmatched> 2",
  "request_ms_count route=GET /broken 1",
  "request_ms_count route=POST /orders/{id} 2",
  "requests_total route=<unmatched> status=4xx 2",
  "requests_total route=GET /broken status=5xx 1",
  "requests_total route=POST /orders/{id} status=2xx 2",
];

const both = [
  ...counters.map((line) => line.replace("orders_placed_total 4", "orders_placed_total 9")),
  "request_ms_count route=POST /refill 1",
  "requests_total route=POST /refill status=2xx 1",
].toSorted();

test.each(devOptions)("fw dev serves metrics %s, to its own hosts only", async (_how, ...args) => {
  await using dev = await startDev(files, ...args);
  const url = `http://localhost:${dev.port}`;
  await use(url);
  await fetch(`${url}/refill`, { method: "POST" });
  expect(await scraped(url)).toEqual(both);
  expect((await fetch(`${url}/_fw/z/metrics`, { method: "POST" })).status).toBe(405);
  // Requests for metrics do not count as requests of the application.
  expect(await scraped(url)).toEqual(both);
  const { status } = await dev.get("/_fw/z/metrics", { Host: "evil.example" });
  expect(status).toBe(403);
});

test.each(devOptions)("values stay when fw dev reloads: %s", async (_how, ...args) => {
  await using dev = await startDev(files, ...args);
  const url = `http://localhost:${dev.port}`;
  await use(url);
  dev.write({ "shop/more.ts": `import { API } from "fw";\nexport const more = API("GET /more", () => "more");\n` });
  await dev.eventually("/more", ({ status }) => status === 200);
  await use(url);
  const ours = (lines: readonly string[]): readonly string[] => lines.filter((line) => !/\/more|unmatched/.test(line));
  const twice = counters.map((line) => line.replace(/\d+$/, (value) => String(2 * Number(value))));
  // The previous process reports its counts when it exits.
  await expect.poll(async () => ours(await scraped(url))).toEqual(ours(twice));
});

test("values stay when a service ends, except those a killed one had not reported", async () => {
  const ends = `import { API } from "fw";
import { placed } from "../shop/metrics.ts";
export const pid = API("GET /pid", () => process.pid);
export const fails = API("POST /fails", (ctx) => { placed.add(ctx, 1); setTimeout(() => { throw new Error("no"); }); });
export const killed = API("POST /killed", (ctx) => { placed.add(ctx, 100); process.kill(process.pid, "SIGKILL"); });
`;
  await using dev = await startDev({ ...files, "ends/ends.ts": ends }, "--services");
  const url = `http://localhost:${dev.port}`;
  const placed = async (): Promise<string | undefined> =>
    (await scraped(url)).find((line) => line.startsWith("orders_placed_total "));
  await use(url);
  const { body: first } = await dev.get("/pid");
  await fetch(`${url}/fails`, { method: "POST" });
  await dev.eventually("/pid", ({ status, body }) => status === 200 && body !== first);
  await expect.poll(placed).toBe("orders_placed_total 5");
  const { body: second } = await dev.get("/pid");
  await fetch(`${url}/killed`, { method: "POST" });
  await dev.eventually("/pid", ({ status, body }) => status === 200 && body !== second);
  await use(url);
  await expect.poll(placed).toBe("orders_placed_total 9");
});

test("a built service serves metrics where FW_METRICS says so, to those who bring the token", async () => {
  const token = "0123456789abcdef-token";
  await using service = await startService(root, "shop", {
    env: { FW_METRICS: "prometheus", FW_METRICS_TOKEN: token },
  });
  await use(service.url);
  expect(await scraped(service.url, { authorization: `Bearer ${token}` })).toEqual(counters);
  for (const authorization of ["", "Bearer wrong", token, `Basic ${token}`, `Bearer ${token}x`]) {
    const answer = await fetch(`${service.url}/_fw/z/metrics`, { headers: { authorization } });
    expect([answer.status, await answer.text()]).toEqual([
      401,
      `{"error":"to read these metrics, send FW_METRICS_TOKEN as a bearer token"}`,
    ]);
  }
});

test("a built service serves no metrics by default", async () => {
  await using service = await startService(root, "shop");
  expect((await fetch(`${service.url}/_fw/z/metrics`)).status).toBe(404);
});

test.each([
  [{ FW_METRICS: "prometheus" }, "FW_METRICS_TOKEN must be at least 16 random letters, digits or -._~+/="],
  [{ FW_METRICS: "prometheus", FW_METRICS_TOKEN: "short" }, "FW_METRICS_TOKEN must be at least 16"],
  [
    { FW_METRICS: "statsd" },
    `FW_METRICS must be "prometheus", which serves metrics at /_fw/z/metrics, or unset, not "statsd"`,
  ],
])("a service does not start with %j", async (env, sentence) => {
  await expect(startService(root, "shop", { env })).rejects.toThrow(sentence);
});
