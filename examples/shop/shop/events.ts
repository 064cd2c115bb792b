import { Topic } from "fw";
import type { Int } from "fw";

/** The money for an order is there. */
export interface Paid {
  order: string;
  sku: string;
  count: Int;
}
export const paid = Topic<Paid>("order-paid");
