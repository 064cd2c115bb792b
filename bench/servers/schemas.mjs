// zod schemas as users of Hono and Express would write them.
import { z } from "zod";

export const userParams = z.object({ id: z.coerce.number().int() });
export const userQuery = z.object({
  page: z.coerce.number().int().default(1),
  sort: z.string().default("name"),
  tag: z.preprocess((tag) => (tag === undefined ? [] : Array.isArray(tag) ? tag : [tag]), z.array(z.string())),
});
export const orderSchema = z.object({
  customer: z.object({ id: z.number().int(), name: z.string(), email: z.string() }),
  currency: z.string(),
  note: z.string(),
  express: z.boolean(),
  items: z.array(z.object({ sku: z.string(), title: z.string(), quantity: z.number().int(), price: z.number() })),
});
