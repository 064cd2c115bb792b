import type { Definitions } from "../../platform/contract.ts";

/** A shop with accounts, an entity and a bucket. */
export const shopSource = `-- package.json --
{ "name": "shop", "type": "module" }
-- shop/shop.ts --
import { Auth, Bucket, Entity } from "fw";
import type { ID, Int } from "fw";
export const auth = Auth({ password: true });
export interface Order { id: ID; total: Int }
export const orders = Entity<Order>("orders");
export const receipts = Bucket("receipts");
`;

/** The shop's stored kinds and its bucket. */
export const shopDefinitions: Definitions = {
  kinds: [{ kind: "orders", properties: [], composites: [] }],
  buckets: ["receipts"],
};
