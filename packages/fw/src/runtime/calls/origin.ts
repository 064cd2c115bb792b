import type { Context, HTMX } from "../../declare/context.ts";
import { packageOf, type Wiring } from "../application.ts";
import type { Claim } from "../auth/claim.ts";
import type { BundledEndpoint, CallCodec } from "../bundle.ts";
import { TransactionContext } from "../entity/transaction-context.ts";
import { newTrace, type Trace } from "../observe/trace.ts";

/** On whose behalf a call is made, as the service that is called has to know it. */
export interface Origin {
  /** The service whose code calls; undefined for a test's own. */
  readonly service: string | undefined;
  readonly trace: Trace;
  /** What the visitor has shown of who they are. */
  readonly claim: Claim | undefined;
  /** When the answer is of no use any more, on the clock of `performance.now`. */
  readonly deadline: number | undefined;
  /** What htmx says of the request, which its handler has not asked by that; undefined where htmx did not make it. */
  readonly htmx: HTMX | undefined;
}

/** A context that knows on whose behalf its code calls; so do all that the runtime makes. */
export interface KnowsOrigin {
  callOrigin(): Origin;
}

/** What a context says of its origin; one of another making says nothing. */
export function originOf(ctx: Context): Origin {
  const outer = outsideTransaction(ctx);
  return knowsOrigin(outer) ? outer.callOrigin() : unknownOrigin();
}

/** Of a call on behalf of nobody, by code of no service. */
export function unknownOrigin(): Origin {
  return { service: undefined, trace: newTrace(), claim: undefined, deadline: undefined, htmx: undefined };
}

/** The context that a transaction was begun with, for a context inside of one: what is called is no part of it. */
export function outsideTransaction(ctx: Context): Context {
  return ctx instanceof TransactionContext ? outsideTransaction(ctx.outer) : ctx;
}

function knowsOrigin(ctx: Context): ctx is Context & KnowsOrigin {
  return "callOrigin" in ctx;
}

/** An endpoint that code of other services can call in this process. */
export type Callee = BundledEndpoint & { readonly call: CallCodec };

/** Whether a call leads from one service to another: then both sides see what they would see of each other over HTTP. */
export function leadsAcross(app: Wiring, ctx: Context, endpoint: BundledEndpoint): endpoint is Callee {
  return (
    endpoint.call !== undefined && knowsOrigin(ctx) && ctx.callOrigin().service !== packageOf(app, endpoint)?.service
  );
}
