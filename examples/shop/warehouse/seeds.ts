import { Seed } from "fw";
import { stock } from "./stock.ts";

/** Stocks the shelves, so that the shop is not empty during development. */
export const shelves = Seed("shelves", async (ctx) => {
  await stock.put(ctx, { sku: "coffee", name: "Coffee, 250 g", price: 850, count: 40 });
  await stock.put(ctx, { sku: "cups", name: "Two cups", price: 1_900, count: 12 });
  await stock.put(ctx, { sku: "kettle", name: "Kettle", price: 4_900, count: 3 });
});
