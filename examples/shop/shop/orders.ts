import { API, Entity, Errorf, NotFound, Queue, Worker, transaction } from "fw";
import type { Context, ID, Index, Int, Path, Query } from "fw";
import { charge, getCharge } from "../payments/charges.ts";
import { getStock } from "../warehouse/stock.ts";
import { paid } from "./events.ts";

export interface Order {
  id: ID;
  buyer: Index<string>;
  sku: string;
  count: Int;
  /** The price in cents. */
  total: Int;
  status: "placed" | "paid" | "declined";
  reason?: string;
  placed: Index<Date>;
}
export const orders = Entity<Order>("orders");

/** Orders that await payment. */
export const checkouts = Queue<{ order: string }>("checkouts");

export interface NewOrder {
  sku: string;
  count: Int;
}

/** Stores an order and queues its checkout in one transaction, so every stored order is checked out. */
export async function place(ctx: Context, { sku, count }: NewOrder): Promise<Order> {
  if (count < 1) throw Errorf(422, "order at least one");
  const { price, count: left } = await getStock.call(ctx, { sku });
  if (left < count) throw Errorf(409, `only ${left} left`);
  const order = { buyer: ctx.user().id, sku, count, total: price * count, placed: ctx.now() };
  return transaction(ctx, async (tx) => {
    const kept = await orders.create(tx, { ...order, status: "placed" });
    await checkouts.send(tx, { order: kept.id });
    return kept;
  });
}

export const placeOrder = API("POST /orders", place, { signIn: true });

/** Charges the order and stores the result. Every step is idempotent: a charge is made once, an event handled once. */
export const checkOut = Worker(checkouts, async (ctx, { order: id }) => {
  const order = await orders.get(ctx, id);
  if (order.status !== "placed") return;
  const answer = await charge.call(ctx, { order: id, buyer: order.buyer, amount: order.total });
  await transaction(ctx, async (tx) => {
    const current = await orders.get(tx, id);
    if (current.status !== "placed") return;
    if (answer.outcome === "declined") {
      await orders.put(tx, { ...current, status: "declined", reason: answer.reason });
      return;
    }
    await orders.put(tx, { ...current, status: "paid" });
    await paid.publish(tx, { order: id, sku: order.sku, count: order.count });
  });
});

export const listOrders = API(
  "GET /orders",
  (ctx, req: { after?: Query }) =>
    orders.query().where("buyer", "==", ctx.user().id).orderBy("placed", "desc").limit(20).page(ctx, req.after),
  { signIn: true },
);

export const getOrder = API(
  "GET /orders/{id}",
  async (ctx, { id }: { id: Path }) => {
    const order = await orders.get(ctx, id);
    if (order.buyer !== ctx.user().id) throw NotFound();
    return order;
  },
  { signIn: true },
);

/** Reads the charge of an order from the payments service, which browsers cannot call. */
export const getReceipt = API(
  "GET /orders/{id}/receipt",
  async (ctx, { id }: { id: Path }) => {
    await getOrder.call(ctx, { id });
    return getCharge.call(ctx, { order: id });
  },
  { signIn: true },
);
