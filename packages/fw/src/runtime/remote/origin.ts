import type { Context } from "../../declare/context.ts";
import { carriedSession } from "../auth/identify.ts";
import { BackgroundContext } from "../background/context.ts";
import { TransactionContext } from "../entity/transaction-context.ts";
import { newTrace, type Trace } from "../observe/trace.ts";
import { Request } from "../request.ts";

/** On whose behalf a call is made, as the service that is called has to know it. */
export interface Origin {
  readonly trace: Trace;
  /** The id of the visitor's session. */
  readonly session: string | undefined;
  /** When the answer is of no use any more, on the clock of `performance.now`. */
  readonly deadline: number | undefined;
}

/** What a context says of its origin: inside of a transaction the one around it, in background work nobody's session. */
export function originOf(ctx: Context): Origin {
  if (ctx instanceof TransactionContext) return originOf(ctx.parent);
  if (ctx instanceof Request) return { trace: ctx.trace, session: carriedSession(ctx), deadline: ctx.deadline };
  if (ctx instanceof BackgroundContext) return { trace: ctx.trace, session: undefined, deadline: ctx.deadline };
  return { trace: newTrace(), session: undefined, deadline: undefined };
}
