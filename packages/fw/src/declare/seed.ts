import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";

/** The result of `Seed`. */
export interface SeedDeclaration {
  /** @internal */
  readonly kind: "seed";
  /** The name, as used by `fw seed <name>`. */
  readonly name: string;
  /** @internal */
  readonly body: (ctx: Context) => void | Promise<unknown>;
}

/**
 * Stores data for development and tests: `export const demo = Seed("demo", async (ctx) => { await orders.put(ctx, { id:
 * "o1", … }); })`. `fw dev` runs it once on an empty store, `fw seed demo` on demand, and `app.seed(demo)` in a test.
 * Builds leave it out.
 */
export function Seed(name: string, body: (ctx: Context) => void | Promise<unknown>): SeedDeclaration {
  return recordDeclaration({ kind: "seed", name, body } as const);
}
