import { expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { Counter, Histogram } from "../../declare/metric.ts";
import { apis, bundleOf, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";

const placed = Counter("orders_placed");
const value = Histogram("order_value");

/** Returns the effects of a handler's calls: the exported metrics and the log. */
async function measured(
  work: (ctx: Context) => void,
  fails = false,
): Promise<{ readonly status: number; readonly calls: readonly string[]; readonly logs: readonly string[] }> {
  const calls: string[] = [];
  const tell = (what: string): void => {
    if (fails) throw new Error("no exporter");
    calls.push(what);
  };
  const metrics = {
    define() {},
    request() {},
    misfit() {},
    add: (name: string, n: number) => tell(`${name} +${n}`),
    observe: (name: string, sample: number) => tell(`${name} ${sample}`),
  };
  await using app = await start(bundleOf(apis({ "GET /": work })), { metrics });
  const { status } = await request(app.port, "/");
  const logs = app.logs.map(({ level, message, fields }) => {
    const numbers = Object.values(fields).filter((each) => typeof each === "number");
    return [level, message, ...numbers].join(" ");
  });
  return { status, calls: calls, logs };
}

test("each call of a counter or a histogram reaches the exporter, and locally is a structured log line", async () => {
  const {
    status,
    calls: told,
    logs,
  } = await measured((ctx) => {
    expect(placed.add(ctx, 2)).toBeUndefined();
    expect(value.observe(ctx, -0.5)).toBeUndefined();
  });
  expect(status).toBe(204);
  expect(told).toEqual(["orders_placed +2", "order_value -0.5"]);
  expect(logs).toEqual(["debug counter orders_placed 2", "debug histogram order_value -0.5"]);
});

test.each([
  [
    "a negative number",
    (ctx: Context) => placed.add(ctx, -1),
    "counter orders_placed: -1 is not a number of 0 or more",
  ],
  ["NaN", (ctx: Context) => placed.add(ctx, Number.NaN), "counter orders_placed: NaN is not a number of 0 or more"],
  ["a text", (ctx: Context) => placed.add(ctx, "2" as never), "counter orders_placed: 2 is not a number of 0 or more"],
  ["an infinity", (ctx: Context) => value.observe(ctx, Infinity), "histogram order_value: Infinity is not a number"],
])("%s is left out with a warning, and fails nothing", async (_, work, message) => {
  const { status, calls: told, logs } = await measured(work);
  expect(status).toBe(204);
  expect(told).toEqual([]);
  expect(logs).toEqual([`warn ${message}; the value was ignored`]);
});

test("a wrong value of a metric is reported once", async () => {
  const { calls: told, logs } = await measured((ctx) => {
    for (let call = 0; call < 1_000; call++) placed.add(ctx, Number.NaN);
    value.observe(ctx, Object.create(null) as never);
    placed.add(ctx, 1);
  });
  expect(told).toEqual(["orders_placed +1"]);
  expect(logs).toEqual([
    "warn counter orders_placed: NaN is not a number of 0 or more; the value was ignored",
    "warn histogram order_value: [object] is not a number; the value was ignored",
    "debug counter orders_placed 1",
  ]);
});

test("an exporter that fails is no matter of the handler's", async () => {
  expect(await measured((ctx) => placed.add(ctx, 1), true)).toMatchObject({ status: 204, calls: [] });
});
