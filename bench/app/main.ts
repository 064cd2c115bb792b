import { API, Auth, Page, Site } from "fw";
import type { Int, Path, Query } from "fw";
import { me as tellOf, placed, rows, user } from "../servers/data.mjs";

export const site = Site("./site");
export const auth = Auth({ password: true });

export const hello = API("GET /hello", () => ({ hello: "world" }));

export interface GetUser {
  id: Path<Int>;
  page?: Query<Int>;
  sort?: Query;
  tag?: Query<string[]>;
}
export interface User {
  id: Int;
  page: Int;
  sort: string;
  tags: string[];
  name: string;
  email: string;
  roles: string[];
  address: { street: string; city: string; postcode: string; country: string };
  items: { sku: string; quantity: Int; price: number }[];
}
export const getUser = API("GET /users/{id}", (_ctx, req: GetUser): User =>
  user(req.id, req.page ?? 1, req.sort ?? "name", req.tag ?? []),
);

export interface PlaceOrder {
  customer: { id: Int; name: string; email: string };
  currency: string;
  note: string;
  express: boolean;
  items: { sku: string; title: string; quantity: Int; price: number }[];
}
export interface Order extends PlaceOrder {
  id: string;
  status: string;
  total: number;
}
export const placeOrder = API("POST /orders", (_ctx, req: PlaceOrder): Order => placed(req));

export interface Me {
  id: string;
  email: string;
  name: string;
  roles: string[];
}
export const me = API("GET /me", (ctx): Me => tellOf(ctx.user()), { signIn: true });

export const page = Page("GET /page", (ctx) => site.fragment(ctx, "page.html", { title: "Rows", rows }));
