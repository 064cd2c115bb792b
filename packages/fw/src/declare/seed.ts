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
 * Declares data for development and tests: `export const demo = Seed("demo", async (ctx) => { await orders.put(ctx, {
 * id: "o1", … }); })`. It runs once when `fw dev` starts with an empty store, on demand with `fw seed demo`, and in
 * tests with `app.seed(demo)`. Builds do not contain it.
 */
export function Seed(name: string, body: (ctx: Context) => void | Promise<unknown>): SeedDeclaration {
  return recordDeclaration({ kind: "seed", name, body } as const);
}
