import type { Context } from "./context.ts";

export interface SingletonDeclaration {
  /** @internal */
  readonly kind: "singleton";
  readonly name: string;
  /** @internal */
  readonly body: (ctx: Context) => void | Promise<void>;
}

/**
 * Runs once, however many instances there are, for as long as the service runs: `export const relay = Singleton("relay", async
 * (ctx) => { while (!ctx.signal.aborted) … })`. A body that ends or throws is started again after a growing pause.
 */
export function Singleton(name: string, body: (ctx: Context) => void | Promise<void>): SingletonDeclaration {
  return Object.freeze({ kind: "singleton", name, body } as const);
}
