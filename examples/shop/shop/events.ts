import { Topic } from "fw";
import type { Int } from "fw";

/** Published when an order is paid. */
export interface Paid {
  order: string;
  sku: string;
  count: Int;
}
export const paid = Topic<Paid>("order-paid");
