import { newTestApp } from "fw/testing";
import { expect, test } from "vitest";
import { charge } from "./charges.ts";

test("who is on call is told when cards have been declined for five minutes, and no second earlier", async () => {
  await using app = await newTestApp();
  const ctx = app.ctx();
  for (const order of ["a", "b"]) await charge.call(ctx, { order, buyer: "bob", amount: 5_000_00 });
  await charge.call(ctx, { order: "c", buyer: "bob", amount: 5_00 });
  await app.clock.advance("30s");
  await app.clock.advance("299s");
  expect(app.alerts.firing()).toEqual([]);
  await app.clock.advance("1s");
  expect(app.alerts.firing()).toEqual(["cards-declined"]);
  await app.clock.advance("15m");
  expect(app.alerts.firing()).toEqual([]);
});
