import { API, Counter, Entity, transaction } from "fw";
import type { ID, Int, Path } from "fw";

/** The charge for an order. It has the order's id, so that no order is charged twice. */
export interface Charge {
  order: ID;
  buyer: string;
  /** The amount in cents. */
  amount: Int;
  at: Date;
}
export const charges = Entity<Charge>("charges");

export interface Demand {
  order: string;
  buyer: string;
  amount: Int;
}

export type Outcome = { outcome: "taken" } | { outcome: "declined"; reason: string };

export const demanded = Counter("charges_demanded");
export const declined = Counter("charges_declined");

/** The maximum amount of an order, in cents. */
const most = 1_000_00;

/** Charges an order exactly once, regardless of how often it is called. */
export const charge = API(
  "POST /charges",
  async (ctx, demand: Demand): Promise<Outcome> => {
    demanded.add(ctx, 1);
    if (demand.amount > most) {
      declined.add(ctx, 1);
      return { outcome: "declined", reason: "the card allows 1,000 at a time" };
    }
    return transaction(ctx, async (tx) => {
      if (!(await charges.find(tx, demand.order))) await charges.create(tx, { ...demand, at: tx.now() });
      return { outcome: "taken" };
    });
  },
  { private: true },
);

export const getCharge = API("GET /charges/{order}", (ctx, { order }: { order: Path }) => charges.get(ctx, order), {
  private: true,
});
