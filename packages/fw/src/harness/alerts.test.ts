import { expect, test } from "vitest";
import { Errorf } from "../declare/errors.ts";
import { apis, bundleOf } from "../runtime/testing/app.ts";
import { testApps } from "./load.ts";

const endpoints = apis({
  "POST /orders": () => {
    throw Errorf(503, "full");
  },
});
const order = endpoints[0]!.declaration;
const labels = { route: "POST /orders" };
const all = { metric: "requests", kind: "counter", service: "web", labels } as const;
const newTestApp = testApps(async () => ({
  default: {
    ...bundleOf(endpoints),
    alerts: [
      {
        name: "order-errors",
        condition: {
          kind: "ratio",
          of: { ...all, labels: { ...labels, status: "5xx" } },
          to: all,
          comparison: "above",
          threshold: 0.02,
        },
        every: 900_000,
        for: 600_000,
        notify: ["oncall"],
      },
      { name: "no-orders", condition: { kind: "absent", of: all }, every: 1_800_000, for: 0, notify: ["oncall"] },
    ],
  },
}));

test("an alert fires in a test that moves the clock, and does not one second before", async () => {
  await using app = await newTestApp();
  await app.fetch("/orders", { method: "POST" });
  await expect.poll(() => app.metrics.requests(order)).toBe(1);
  await app.clock.advance("30s");
  await app.clock.advance("9m");
  await app.clock.advance("59s");
  expect(app.alerts.firing()).toEqual([]);
  await app.clock.advance("1s");
  expect(app.alerts.firing()).toEqual(["order-errors"]);
  await app.clock.advance("1h");
  expect(app.alerts.firing()).toEqual(["no-orders"]);
});

test("a day is looked at in no time", async () => {
  await using app = await newTestApp();
  await app.clock.advance("1d");
  expect(app.alerts.firing()).toEqual(["no-orders"]);
});
