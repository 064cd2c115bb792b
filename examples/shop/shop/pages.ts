import { Page, Redirect, Site, StatusPage } from "fw";
import type { Form, Int } from "fw";
import { listStock, receiveGoods } from "../warehouse/stock.ts";
import { Clerk } from "./people.ts";
import { listOrders, place } from "./orders.ts";

export const site = Site("./web");

export const home = Page("GET /", async (ctx) => {
  const user = ctx.maybeUser();
  const goods = await listStock.call(ctx, {});
  const mine = user ? (await listOrders.call(ctx, {})).items : [];
  return site.render(ctx, "home.html", {
    user: user && { name: user.name, clerk: user.hasRole(Clerk) },
    goods: goods.map(({ sku, name, price, count }) => ({ sku, name, price: money(price), count })),
    orders: mine.map(({ id, sku, count, total, status, reason }) => ({
      id,
      sku,
      count,
      total: money(total),
      status,
      reason,
    })),
  });
});

export const buy = Page(
  "POST /buy",
  async (ctx, req: { sku: Form; count: Form<Int> }) => {
    await place(ctx, req);
    return Redirect("/");
  },
  { signIn: true },
);

/** The warehouse decides who may: its policy is asked, here as everywhere. */
export const stockUp = Page(
  "POST /stock-up",
  async (ctx, req: { sku: Form; name: Form; price: Form<Int>; count: Form<Int> }) => {
    await receiveGoods.call(ctx, req);
    return Redirect("/");
  },
  { signIn: true },
);

export const status = StatusPage((ctx, { code }) => site.render(ctx, "status.html", { code }));

function money(cents: number): string {
  return (cents / 100).toFixed(2);
}
