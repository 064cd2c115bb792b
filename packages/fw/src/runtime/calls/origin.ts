import type { Context, HTMX } from "../../declare/context.ts";
import { packageOf, type Wiring } from "../application.ts";
import type { Claim } from "../auth/claim.ts";
import type { BundledEndpoint, CallCodec } from "../bundle.ts";
import { ScopedContext } from "../context.ts";
import { newTrace, type Trace } from "../observe/trace.ts";

/** The origin of a call, for the called service. */
export interface Origin {
  /** The service whose code calls; undefined for a test's own. */
  readonly service: string | undefined;
  readonly trace: Trace;
  /** The credential of the user. */
  readonly claim: Claim | undefined;
  /** The time after which the caller no longer waits, on the clock of `performance.now`. */
  readonly deadline: number | undefined;
  /**
   * The htmx headers of the request; undefined if htmx did not send it. Reading them here does not mark the handler as
   * dependent on them.
   */
  readonly htmx: HTMX | undefined;
}

/** A context that knows the origin of its calls, as all contexts of the runtime do. */
export interface HasOrigin {
  callOrigin(): Origin;
}

/** Returns the origin of a context's calls; an unknown one for contexts of other code. */
export function originOf(ctx: Context): Origin {
  const outer = outsideTransaction(ctx);
  return hasOrigin(outer) ? outer.callOrigin() : unknownOrigin();
}

/** Creates the origin of a call that has neither a user nor a calling service. */
export function unknownOrigin(): Origin {
  return { service: undefined, trace: newTrace(), claim: undefined, deadline: undefined, htmx: undefined };
}

/** Returns the context outside of transactions and tenants: a called service takes part in neither. */
export function outsideTransaction(ctx: Context): Context {
  return ctx instanceof ScopedContext ? outsideTransaction(ctx.outer) : ctx;
}

function hasOrigin(ctx: Context): ctx is Context & HasOrigin {
  return "callOrigin" in ctx;
}

/** An endpoint that code of other services can call in this process. */
export type Callee = BundledEndpoint & { readonly call: CallCodec };

/** True if a call leads from one service to another, so that both sides must see the same as over HTTP. */
export function isServiceCall(app: Wiring, ctx: Context, endpoint: BundledEndpoint): endpoint is Callee {
  return (
    endpoint.call !== undefined && hasOrigin(ctx) && ctx.callOrigin().service !== packageOf(app, endpoint)?.service
  );
}
