import { parser } from "@prometheus-io/lezer-promql";
import { expect, test } from "vitest";
import { itemsOf, fieldsOf, textOf, type Fields } from "../fields.ts";
import type { AlertCondition, Series } from "../../lib/alert-rule.ts";
import { cloudQueries, queryProblems } from "../testing/cloud-metrics.ts";
import { declaredShop } from "../testing/shop.ts";
import { desired } from "./desired.ts";

const dashboard = desired(declaredShop).find(({ kind }) => kind === "dashboard");
const widgets = itemsOf(fieldsOf(dashboard?.spec["mosaicLayout"])["tiles"]).map((tile) => fieldsOf(tile["widget"]));

function queriesOf(widget: Fields): readonly string[] {
  return itemsOf(fieldsOf(widget["xyChart"])["dataSets"]).map((data) =>
    textOf(fieldsOf(data["timeSeriesQuery"])["prometheusQuery"]),
  );
}

test("the dashboard has a chart of requests, of each counter and histogram, of messages, and of instances", () => {
  const { counters, histograms } = declaredShop.manifest.resources;
  expect(counters.length * histograms.length).toBeGreaterThan(0);
  expect(widgets.map(({ title }) => title)).toEqual([
    "Requests by route",
    "Server errors",
    "Duration",
    "95th percentile by route",
    ...counters,
    ...histograms,
    "Waiting messages",
    "Age of the oldest message",
    "Dead letters",
    "Instances",
    "Memory, 99th percentile",
    "Errors in the log",
  ]);
});

test("every query of the dashboard is valid PromQL, of this application in this environment alone", () => {
  const queries = widgets.flatMap(queriesOf);
  for (const query of queries) {
    const errors: string[] = [];
    parser
      .parse(query.replaceAll("${__interval}", "5m"))
      .iterate({ enter: (node) => void (node.type.isError && errors.push(query)) });
    expect(errors).toEqual([]);
    const selectors = [...query.matchAll(/\{monitored_resource=[^}]*\}/g)].map(([text]) => text);
    expect(selectors.length).toBeGreaterThan(0);
    for (const selector of selectors) expect(selector).toContain("shop-test");
  }
});

test("every query names metrics and labels that Google publishes and the deploy declares", () => {
  const resources = desired(declaredShop);
  expect(queryProblems(resources)).toEqual([]);
  const otherResources = JSON.parse(
    JSON.stringify(resources).replaceAll("subscription_id", "subscription").replaceAll("queue_depth", "queue_size"),
  ) as typeof resources;
  expect(queryProblems(otherResources)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^there is no metric cloudtasks_googleapis_com:queue_size: /),
      expect.stringMatching(/^pubsub_googleapis_com:subscription_num_undelivered_messages has no label subscription: /),
    ]),
  );
});

test("alerts count what was never counted as 0, as the evaluation of fw dev does", () => {
  const counter = (metric: string): Series => ({ metric, kind: "counter", labels: {} });
  const conditions: readonly AlertCondition[] = [
    { kind: "ratio", of: counter("good"), to: counter("all"), comparison: "below", threshold: 0.9 },
    { kind: "rate", of: counter("orders"), comparison: "below", threshold: 1 },
    { kind: "absent", of: counter("orders") },
  ];
  const alerts = conditions.map((condition, i) => ({ name: `a${i}`, condition, every: 60_000, for: 0, notify: [] }));
  const { manifest } = declaredShop;
  const resources = desired({
    ...declaredShop,
    manifest: { ...manifest, resources: { ...manifest.resources, alerts } },
  });
  const names = /custom_googleapis_com:|\{[^}]*\}/g;
  expect(
    cloudQueries(resources.filter(({ kind }) => kind === "alert")).map((query) => query.replaceAll(names, "")),
  ).toEqual([
    "(sum(rate(good[60s])) or vector(0)) / sum(rate(all[60s])) < 0.9",
    "(sum(rate(orders[60s])) or vector(0)) < 1",
    // An instance exports a total that no longer grows.
    "(sum(increase(orders[60s])) or vector(0)) == 0",
  ]);
});

test("lines of a chart have names, unless their labels name them", () => {
  const duration = widgets.find(({ title }) => title === "Duration") ?? {};
  const dataSets = itemsOf(fieldsOf(duration["xyChart"])["dataSets"]);
  expect(dataSets.map(({ legendTemplate }) => legendTemplate)).toEqual(["p50", "p95", "p99"]);
});

test("a dashboard has at most 100 widgets, in which no metric is missing", () => {
  const { manifest } = declaredShop;
  const counters = Array.from({ length: 300 }, (_, n) => `events${n}`);
  const histograms = Array.from({ length: 30 }, (_, n) => `steps${n}${n % 2 === 0 ? "_ms" : "_bytes"}`);
  const resources = { ...manifest.resources, counters, histograms };
  const large = desired({ ...declaredShop, manifest: { ...manifest, resources } });
  const { spec = {} } = large.find(({ kind }) => kind === "dashboard") ?? {};
  const tiles = itemsOf(fieldsOf(spec["mosaicLayout"])["tiles"]);
  expect(tiles.length).toBeGreaterThan(90);
  expect(tiles.length).toBeLessThanOrEqual(100);
  const text = JSON.stringify(tiles);
  expect(counters.filter((name) => !text.includes(`:${name}{`))).toEqual([]);
  expect(histograms.filter((name) => !text.includes(`"legendTemplate":"${name} p99"`))).toEqual([]);
  expect(text).toContain('"title":"events0, events1, ');
  expect(text).toContain('"legendTemplate":"events1"');
});

test("an application without consumers has no charts of messages", () => {
  const services = declaredShop.manifest.services.filter(({ receives }) => receives === undefined);
  const resources = desired({ ...declaredShop, manifest: { ...declaredShop.manifest, services } });
  expect(JSON.stringify(resources.find(({ kind }) => kind === "dashboard"))).not.toContain("Waiting messages");
});
