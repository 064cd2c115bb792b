import { afterAll, beforeAll, expect, test } from "vitest";
import { openAppBench, type AppBench } from "../testing/app-bench.ts";
import { graph, graphText } from "../../generate/graph/graph.ts";
import { generator } from "../../generate/wiring.ts";
import { alertRules } from "../../model/alert-rules.ts";

let bench: AppBench;
beforeAll(async () => {
  bench = await openAppBench();
});
afterAll(() => bench.close());

const app = `
-- ops/ops.ts --
import { Alert, Channel, Secret, absent, percentile, rate, ratio } from "fw";
import { failed, order, size, tried } from "../shop/shop.ts";
export const hook = Secret("CHAT_HOOK");
export const chat = Channel("chat", { webhook: hook });
export const oncall = Channel("oncall", { email: "oncall@example.com" });
export const errors = Alert("errors", { if: ratio(order, "5xx").above(0.02), every: "5m", for: "10m", notify: [oncall, chat] });
export const busy = Alert("busy", { if: rate(order, { status: "2xx" }).above(50), every: "1m", notify: [chat] });
export const slow = Alert("slow", { if: percentile(order, 0.95).above(800), every: "5m", notify: [chat] });
export const large = Alert("large", { if: percentile(size, 0.5).below(10), every: "5m", notify: [chat] });
export const quiet = Alert("quiet", { if: absent(size), every: "25h", notify: [chat] });
export const failing = Alert("failing", { if: ratio(failed, tried).above(0.5), every: "5m", notify: [chat] });
-- shop/shop.ts --
import { API, Counter, Histogram, Service } from "fw";
export const web = Service();
export const order = API("POST /orders", () => ({ ok: true }));
export const failed = Counter("failed");
export const tried = Counter("tried");
export const size = Histogram("size");
`;

const orders = { metric: "requests", kind: "counter", service: "shop-web", labels: { route: "POST /orders" } };

test("an alert is resolved to metrics, labels and services as they are exported", async () => {
  const { app: model, diagnostics } = await bench.analyze(app);
  expect(diagnostics).toEqual([]);
  const size = { metric: "size", kind: "histogram", labels: {} };
  const above = (threshold: number): object => ({ comparison: "above", threshold });
  expect(alertRules(model)).toEqual([
    {
      name: "busy",
      condition: { kind: "rate", of: { ...orders, labels: { ...orders.labels, status: "2xx" } }, ...above(50) },
      every: 60_000,
      for: 0,
      notify: ["chat"],
    },
    {
      name: "errors",
      condition: {
        kind: "ratio",
        of: { ...orders, labels: { ...orders.labels, status: "5xx" } },
        to: orders,
        ...above(0.02),
      },
      every: 300_000,
      for: 600_000,
      notify: ["oncall", "chat"],
    },
    {
      name: "failing",
      condition: {
        kind: "ratio",
        of: { metric: "failed", kind: "counter", labels: {} },
        to: { metric: "tried", kind: "counter", labels: {} },
        ...above(0.5),
      },
      every: 300_000,
      for: 0,
      notify: ["chat"],
    },
    {
      name: "large",
      condition: { kind: "percentile", of: size, quantile: 0.5, comparison: "below", threshold: 10 },
      every: 300_000,
      for: 0,
      notify: ["chat"],
    },
    { name: "quiet", condition: { kind: "absent", of: size }, every: 90_000_000, for: 0, notify: ["chat"] },
    {
      name: "slow",
      condition: {
        kind: "percentile",
        of: { ...orders, metric: "request_ms", kind: "histogram" },
        quantile: 0.95,
        ...above(800),
      },
      every: 300_000,
      for: 0,
      notify: ["chat"],
    },
  ]);
});

test.each([
  ["1 / 3", "1 / 3"],
  ["1_234_567", "1_234_567"],
  ["(5\n  * 60)", "5 * 60"],
  ["0.02", "0.02"],
  ["share", "0.25"],
  ["1e3", "1e3"],
])("a threshold of %j is shown as %s", async (source, text) => {
  const { app: model } = await bench.analyze(
    app
      .replace("above(50)", `above(${source})`)
      .replace("export const busy", "const share = 1 / 4;\nexport const busy"),
  );
  expect(graphText(graph(model))).toContain(`  alert busy  rate of POST /orders 2xx above ${text}, every 1m`);
});

test("the graph lists channels and alerts, and the bundle has what is evaluated", async () => {
  const { app: model } = await bench.analyze(app);
  const lines = graphText(graph(model));
  expect(lines).toContain("  channel chat  to the URL in CHAT_HOOK  ops/ops.ts:4\n");
  expect(lines).toContain("  channel oncall  to oncall@example.com  ops/ops.ts:5\n");
  expect(lines).toContain(
    "  alert errors  ratio of POST /orders 5xx above 0.02, every 5m for 10m  to oncall, chat  ops/ops.ts:6\n",
  );
  expect(lines).toContain("  alert failing  ratio of failed to tried above 0.5, every 5m  to chat  ops/ops.ts:11\n");
  const { entry, files } = generator()(model);
  for (const rule of alertRules(model)) expect(files.get(entry)).toContain(`\n    ${JSON.stringify(rule)},\n`);
});
