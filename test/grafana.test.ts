import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { bin, build } from "./support/build.ts";
import { startDev, type Dev } from "./support/dev-app.ts";
import { copyOfExample } from "./support/fw.ts";
import { startServe } from "./support/served.ts";

const application = `
-- shop/shop.ts --
import { absent, Alert, API, Channel, Counter, Histogram, percentile, rate, ratio } from "fw";
export const declined = Counter("cards-declined_total");
export const charged = Counter("cards_charged");
export const weight = Histogram("parcel_bytes");
export const order = API("POST /orders", (ctx, { grams }: { grams: number }) => {
  declined.add(ctx, 1);
  charged.add(ctx, 2);
  weight.observe(ctx, grams);
});
export const oncall = Channel("oncall", { email: "oncall@example.com" });
export const failing = Alert("failing", { if: ratio(order, "5xx").above(0.02), every: "5m", for: "10m", notify: [oncall] });
export const refusing = Alert("refusing", { if: ratio(declined, charged).below(0.3), every: "15m", notify: [oncall] });
export const slow = Alert("slow", { if: percentile(order, 0.95).above(800), every: "5m", notify: [oncall] });
export const heavy = Alert("heavy", { if: percentile(weight, 0.99).above(30), every: "25h", notify: [oncall] });
export const quiet = Alert("quiet", { if: absent(order, { status: "2xx" }), every: "1h", notify: [oncall] });
export const rare = Alert("rare", { if: rate(order).below(1), every: "90m", notify: [oncall] });
`;

let dev: Dev;

beforeAll(async () => {
  dev = await startDev(Object.fromEntries(filesOf(application)));
  expect(await fw(dev.root, "gen", "grafana", "--out", "ops")).toMatchObject({
    code: 0,
    out: `${join("ops", "dashboard.json")} written\n${join("ops", "rules.yml")} written\n`,
  });
});
afterAll(() => dev[Symbol.asyncDispose]());

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly datasource: unknown;
  readonly targets: readonly { readonly refId: string; readonly expr: string; readonly datasource: unknown }[];
}

interface Dashboard {
  readonly uid: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly Panel[];
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

function generated(name: string, root = dev.root): unknown {
  return JSON.parse(readFileSync(join(root, "ops", name), "utf8"));
}

const panels = (root?: string): Dashboard["panels"] => (generated("dashboard.json", root) as Dashboard).panels;
const rules = (root?: string): Rules["groups"][number]["rules"] =>
  (generated("rules.yml", root) as Rules).groups.flatMap((each) => each.rules);

function queries(root?: string): readonly string[] {
  return [...panels(root).flatMap(({ targets }) => targets), ...rules(root)].map(({ expr }) =>
    expr.replaceAll("$__rate_interval", "5m"),
  );
}

/** Returns the parts of a query with this name in Prometheus's grammar. */
function partsOf(query: string, name: string): readonly string[] {
  const parts: string[] = [];
  parser
    .parse(query)
    .iterate({ enter: (node) => void (node.name === name && parts.push(query.slice(node.from, node.to))) });
  return parts;
}

test("files outside the current directory are named by their whole path", async () => {
  const directory = join(dev.root, "elsewhere");
  mkdirSync(join(dev.root, "shop", "deep"));
  const { out } = await fw(join(dev.root, "shop", "deep"), "gen", "grafana", "--out", directory);
  expect(out).toBe(`${join(directory, "dashboard.json")} written\n${join(directory, "rules.yml")} written\n`);
});

test("every query of the dashboard and the rules is valid PromQL", () => {
  expect(queries().length).toBeGreaterThan(12);
  expect(queries().filter((query) => partsOf(query, "⚠").length > 0)).toEqual([]);
});

test("the dashboard and the rules name metrics and labels that the application exports", async () => {
  await fetch(`http://localhost:${dev.port}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ grams: 40 }),
  });
  const { body } = await dev.get("/_fw/z/metrics");
  const samples = new Set([...body.matchAll(/^(\w+)/gm)].map(([, name]) => name));
  const labels = new Set([...body.matchAll(/[{,](\w+)="/g)].map(([, name]) => name));
  const selectors = queries().flatMap((query) => partsOf(query, "VectorSelector"));
  expect(selectors.length).toBeGreaterThan(15);
  const names = selectors.map((selector) => /^\w+/.exec(selector)?.[0]);
  expect(names.filter((name) => !samples.has(name))).toEqual([]);
  const queryLabels = queries().flatMap((query) => [
    ...partsOf(query, "GroupingLabels").flatMap((group) => group.match(/\w+/g) ?? []),
    ...[...query.matchAll(/[{,](\w+)="/g)].map(([, name]) => name),
  ]);
  expect(queryLabels.filter((label) => !labels.has(label))).toEqual([]);
  expect(body).toContain('route="POST /orders"');
});

test("each alert is a rule with its window, its time to fire and its channels", () => {
  expect(rules().find(({ alert }) => alert === "failing")).toEqual({
    alert: "failing",
    expr: '(sum(rate(requests_total{route="POST /orders",status="5xx"}[5m])) or vector(0)) / sum(rate(requests_total{route="POST /orders"}[5m])) > 0.02',
    for: "10m",
    labels: { app: "app", channels: "oncall" },
    annotations: { summary: "ratio of POST /orders 5xx above 0.02" },
  });
  expect(rules().map(({ alert }) => alert)).toEqual(["failing", "heavy", "quiet", "rare", "refusing", "slow"]);
});

test("each counter and histogram has a chart", () => {
  expect(panels().map(({ title }) => title)).toEqual([
    "Requests by route",
    "Server errors",
    "Duration",
    "95th percentile by route",
    "cards-declined_total",
    "cards_charged",
    "parcel_bytes",
  ]);
});

/** The units of Grafana's list that fw uses. */
const grafanaUnits = ["reqps", "cps", "percentunit", "ms", "bytes", "short"];

test("the dashboard has what Grafana requires: ids, places without overlaps, units and its data source", () => {
  const { uid, schemaVersion, templating, panels: all } = generated("dashboard.json") as Dashboard;
  expect([uid, schemaVersion, templating.list.map(({ name }) => name)]).toEqual(["fw-app", 39, ["datasource"]]);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.filter(({ fieldConfig }) => !grafanaUnits.includes(fieldConfig.defaults.unit))).toEqual([]);
  const cells = all.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => [x + (i % w), y + Math.floor(i / w)] as const),
  );
  expect(cells.filter(([x]) => x >= 24)).toEqual([]);
  expect(new Set(cells.map(String)).size).toBe(cells.length);
  for (const { datasource, targets } of all) {
    expect(datasource).toEqual({ type: "prometheus", uid: "${datasource}" });
    expect(targets.map((target) => target.datasource)).toEqual(targets.map(() => datasource));
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  }
});

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]));
}

function samplesIn(scrape: string): readonly Sample[] {
  return [...scrape.matchAll(/^(\w+)(\{.*\})? \S+$/gm)].map(([, name = "", labels = ""]) => ({
    name,
    labels: labelsIn(labels),
  }));
}

/**
 * True if a sample has the name and labels of a selector. Any class of statuses matches, because a class may not have
 * occurred.
 */
function selects(selector: string, { name, labels }: Sample): boolean {
  const isLabel = ([label, value]: readonly [string, string]): boolean =>
    label === "status" ? /^[1-5]xx$/.test(value) && labels[label] !== undefined : labels[label] === value;
  return /^\w+/.exec(selector)?.[0] === name && Object.entries(labelsIn(selector)).every(isLabel);
}

test("each selector and grouping label of the shop's dashboard and rules is in what fw serve exposes", async () => {
  const root = await copyOfExample("shop");
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  await build(root);
  expect(await fw(root, "gen", "grafana", "--out", "ops")).toMatchObject({ code: 0 });
  const data = join(root, "data");
  const token = "scraping-is-allowed";
  await using server = await startServe(["--data", data], {
    cwd: root,
    env: { FW_METRICS: "prometheus", FW_METRICS_TOKEN: token },
  });
  await users(root, "create", "ada@example.com", "--password", "--data", data);
  await users(root, "grant", "ada@example.com", "clerk", "--data", data);
  const send = async (path: string, body: object, cookie = ""): Promise<Response> => {
    const answer = await fetch(server.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body),
    });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer;
  };
  const session = await send("/_fw/api/session", { email: "ada@example.com", password });
  const cookie = session.headers.getSetCookie()[0]?.split(";")[0];
  await send("/stock/gold", { name: "Gold", price: 600_000, count: 5 }, cookie);
  await send("/orders", { sku: "gold", count: 1 }, cookie);
  const scrape = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/_fw/z/metrics`, { headers })).text();
  };
  await expect.poll(scrape, { timeout: 60_000 }).toContain("charges_declined_total 1");
  const samples = samplesIn(await scrape());
  const all = queries(root);
  const selectors = all.flatMap((query) => partsOf(query, "VectorSelector"));
  expect(selectors).toContain('request_ms_bucket{route="POST /charges"}');
  expect(selectors.filter((selector) => !samples.some((sample) => selects(selector, sample)))).toEqual([]);
  // Every selected series has the labels in the query's grouping.
  const ungrouped = all.filter((query) => {
    const by = partsOf(query, "GroupingLabels").flatMap((labels) => labels.match(/\w+/g) ?? []);
    const selected = samples.filter((each) => partsOf(query, "VectorSelector").some((text) => selects(text, each)));
    return selected.some(({ labels }) => by.some((label) => labels[label] === undefined));
  });
  expect(ungrouped).toEqual([]);
});

const password = "a good password";

/** Runs `fw users` with the password on its standard input. */
function users(cwd: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [bin, "users", ...args], { cwd }, (error, _out, err) =>
      error ? reject(new Error(err)) : resolve(),
    );
    child.stdin?.end(`${password}\n`);
  });
}
