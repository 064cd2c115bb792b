import { newTestApp } from "fw/testing";
import { expect, test } from "vitest";
import { shelves } from "./seeds.ts";
import { listStock } from "./stock.ts";

test("the shelves are listed by name", async () => {
  await using app = await newTestApp();
  await app.seed(shelves);
  expect((await listStock.call(app.ctx(), {})).map(({ sku }) => sku)).toEqual(["coffee", "kettle", "cups"]);
});
