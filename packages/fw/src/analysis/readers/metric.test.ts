import { expect, test } from "vitest";
import { graph, graphText } from "../../generate/graph/graph.ts";
import { generator } from "../../generate/wiring.ts";
import { ofKind } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const app = `
-- shop/metrics.ts --
import { Counter, Histogram as Spread } from "fw";
const unit = "ms";
export const placed = Counter("orders_placed");
export const took = Spread("took_" + unit);
`;

test("counters and histograms are read, listed by the graph and named by the bundle", async () => {
  const { app: model, diagnostics } = await bench.analyze(app);
  expect(diagnostics).toEqual([]);
  const found = model.packages.flatMap((pkg) => ofKind(pkg, "counter", "histogram"));
  expect(found).toMatchObject([
    { kind: "counter", declaration: { variable: "placed" }, name: "orders_placed" },
    { kind: "histogram", declaration: { variable: "took" }, name: "took_ms" },
  ]);
  expect(graph(model).services[0]).toMatchObject({
    counters: [{ name: "orders_placed", at: "shop/metrics.ts:3" }],
    histograms: [{ name: "took_ms", at: "shop/metrics.ts:4" }],
  });
  expect(graphText(graph(model))).toContain("  counter orders_placed  shop/metrics.ts:3\n  histogram took_ms  shop");
  const { entry, files } = generator()(model);
  expect(files.get(entry)).toMatch(/metrics: \[\n {4}\{ declaration: i\d, kind: "counter", name: "orders_placed" \},/);
});

test("the names of metrics are constant, may contain underscores, and are one list", async () => {
  expect(
    await bench.print(`
-- shop/metrics.ts --
import { Counter, Histogram } from "fw";
export const a = Counter("orders placed");
export const b = Counter("requests");
export const c = Histogram("took_ms");
export const d = Counter("took_ms");
export const e = Histogram(String(1));
export const f = Histogram("misfits");
`),
  ).toEqual([
    'shop/metrics.ts:2:26: "orders placed" is not a valid name for a counter (fw/resource-name)',
    'shop/metrics.ts:3:26: "requests" is a metric that fw itself records (fw/resource-name)',
    'shop/metrics.ts:5:26: two metrics have the name "took_ms" (fw/resource-name)',
    expect.stringMatching(
      /^shop\/metrics\.ts:6:28: the name of the histogram is not a string constant: .+\(fw\/const-name\)$/,
    ),
    'shop/metrics.ts:7:28: "misfits" is a metric that fw itself records (fw/resource-name)',
  ]);
});

test("the name of a metric begins with a letter, and is one of its own as Prometheus reads it", async () => {
  const { diagnostics } = await bench.analyze(`
-- shop/metrics.ts --
import { Counter, Histogram } from "fw";
export const a = Counter("9lives");
export const b = Histogram("4-h_ms");
export const c = Counter("orders-placed");
export const d = Counter("orders_placed");
export const e = Counter("lives9");
`);
  expect(diagnostics.map(({ message, hint }) => `${message}; ${hint}`)).toEqual([
    expect.stringMatching(
      /^"9lives" is not a valid name for a counter; use 1 to 63 .* a letter first .*, such as "lives"$/,
    ),
    expect.stringMatching(/^"4-h_ms" is not a valid name for a histogram; .* such as "h-ms"$/),
    expect.stringMatching(/^two metrics have the name "orders_placed", as "orders-placed" is exported; rename /),
  ]);
});
