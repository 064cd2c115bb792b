import { API, Entity, Errorf, Subscribe, transaction } from "fw";
import type { ID, Index, Int, Path } from "fw";
import { paid } from "../shop/events.ts";
import { Stocking } from "../shop/people.ts";

/** The stock of a product. */
export interface Stock {
  sku: ID;
  name: Index<string>;
  /** The price in cents. */
  price: Int;
  /** The number in stock; negative if the shop owes goods. */
  count: Int;
}
export const stock = Entity<Stock>("stock");

/** A shipment. It has the order's id, so that no order is shipped twice. */
export interface Shipment {
  order: ID;
  sku: string;
  count: Int;
  at: Date;
}
export const shipments = Entity<Shipment>("shipments");

export const listStock = API("GET /stock", (ctx) => stock.query().orderBy("name").all(ctx));

export const getStock = API("GET /stock/{sku}", (ctx, { sku }: { sku: Path }) => stock.get(ctx, sku));

export interface Delivery {
  sku: Path;
  name: string;
  price: Int;
  count: Int;
}
/** Adds goods to the stock. */
export const receiveGoods = API(
  "POST /stock/{sku}",
  (ctx, { sku, name, price, count }: Delivery) => {
    if (count < 1 || price < 1) throw Errorf(422, "count and price are at least 1");
    return transaction(ctx, async (tx) => {
      const before = await stock.find(tx, sku);
      return stock.put(tx, { sku, name, price, count: (before?.count ?? 0) + count });
    });
  },
  { allow: Stocking },
);

/** Ships a paid order once, regardless of how often the event arrives. */
export const ship = Subscribe(paid, (ctx, { order, sku, count }) =>
  transaction(ctx, async (tx) => {
    if (await shipments.find(tx, order)) return;
    const shelf = await stock.get(tx, sku);
    await shipments.create(tx, { order, sku, count, at: tx.now() });
    await stock.put(tx, { ...shelf, count: shelf.count - count });
  }),
);

export const getShipment = API("GET /shipments/{order}", (ctx, { order }: { order: Path }) =>
  shipments.get(ctx, order),
);
