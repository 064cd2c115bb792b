import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { startDev, type Dev } from "./support/dev-app.ts";

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

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

function generated(name: string): unknown {
  return JSON.parse(readFileSync(join(dev.root, "ops", name), "utf8"));
}

const panels = (): Dashboard["panels"] => (generated("dashboard.json") as Dashboard).panels;
const rules = (): Rules["groups"][number]["rules"] =>
  (generated("rules.yml") as Rules).groups.flatMap((each) => each.rules);

function queries(): readonly string[] {
  return [...panels().flatMap(({ targets }) => targets), ...rules()].map(({ expr }) =>
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
