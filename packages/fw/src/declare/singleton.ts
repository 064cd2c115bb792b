import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of a singleton, written as a literal. */
export interface SingletonConfig extends Scaling<{
  readonly maxInstances?: Refused<"fw/singleton-max: a singleton always has one running instance">;
}> {}

/** The result of `Singleton`. */
export interface SingletonDeclaration {
  /** @internal */
  readonly kind: "singleton";
  /** The name, as it appears in log lines. */
  readonly name: string;
  /** @internal */
  readonly body: (ctx: Context) => void | Promise<unknown>;
  /** @internal */
  readonly config: SingletonConfig;
}

/**
 * Declares a function that runs in one instance of the service at a time, for as long as the service runs: `export
 * const relay = Singleton("relay", async (ctx) => { while (!ctx.signal.aborted) … })`. If it returns or throws, it
 * restarts with exponential backoff.
 */
export function Singleton(
  name: string,
  body: (ctx: Context) => void | Promise<unknown>,
  config: SingletonConfig = {},
): SingletonDeclaration {
  return recordDeclaration({ kind: "singleton", name, body, config } as const);
}
