import { flash, Page, Redirect, Site, StatusPage } from "fw";
import type { Context, Form, HTML, Int, Max, MaxLength, Min, MinLength, Pattern } from "fw";
import { listStock, receiveGoods } from "../warehouse/stock.ts";
import { Clerk } from "./people.ts";
import { listOrders, place } from "./orders.ts";

export const site = Site("./web");

export const home = Page("GET /", (ctx) => shelves(ctx));

/** Renders the only page, including a form that was refused. */
async function shelves(ctx: Context): Promise<HTML> {
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
}

/** A number of pieces. */
type Count = Int & Min<1> & Max<10_000>;

/** Templates insert these constraints with `{{field}}`, so that browsers report mistakes before they send the form. */
export interface Goods {
  sku: Form<string & Pattern<"[a-z0-9-]+"> & MaxLength<40>>;
  name: Form<string & MinLength<1> & MaxLength<100>>;
  price: Form<Int & Min<1>>;
  count: Form<Count>;
}

export const buy = Page(
  "POST /buy",
  async (ctx, req: { sku: Form; count: Form<Count> }) => {
    await place(ctx, req);
    flash(ctx, "Thank you for your order.");
    return Redirect("/");
  },
  { signIn: true },
);

/** The warehouse's policy decides who may restock; it applies to every caller. */
export const stockUp = Page(
  "POST /stock-up",
  async (ctx, req: Goods) => {
    await receiveGoods.call(ctx, req);
    return Redirect("/");
  },
  { signIn: true, invalid: (ctx) => shelves(ctx) },
);

export const status = StatusPage((ctx, { code }) => site.render(ctx, "status.html", { code }));

function money(cents: number): string {
  return (cents / 100).toFixed(2);
}
