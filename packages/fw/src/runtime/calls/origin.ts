import type { Context, HTMX } from "../../declare/context.ts";
import { packageOf, type Wiring } from "../application.ts";
import type { Claim } from "../auth/claim.ts";
import type { BundledEndpoint, CallCodec } from "../bundle.ts";
import { ScopedContext } from "../context.ts";
import { newTrace, type Trace } from "../observe/trace.ts";

export interface Origin {
  /** The service whose code makes the call; undefined for a test's own calls. */
  readonly service: string | undefined;
  readonly trace: Trace;
  readonly claim: Claim | undefined;
  /** The time at which the caller stops waiting, on the clock of `performance.now`. */
  readonly deadline: number | undefined;
  /**
   * The htmx headers of the request; undefined if htmx did not send it. Reading them here does not add them to the
   * response's Vary header.
   */
  readonly htmx: HTMX | undefined;
}

/** A context with an origin for its calls. All runtime contexts have one. */
export interface HasOrigin {
  callOrigin(): Origin;
}

/** Returns the origin of a context's calls, or an unknown origin for contexts that do not know it. */
export function originOf(ctx: Context): Origin {
  const outer = outsideTransaction(ctx);
  return hasOrigin(outer) ? outer.callOrigin() : unknownOrigin();
}

/** Creates an origin without a user or a calling service. */
export function unknownOrigin(): Origin {
  return { service: undefined, trace: newTrace(), claim: undefined, deadline: undefined, htmx: undefined };
}

/** Returns the context outside of transactions and tenants, which do not extend to a called service. */
export function outsideTransaction(ctx: Context): Context {
  return ctx instanceof ScopedContext ? outsideTransaction(ctx.outer) : ctx;
}

function hasOrigin(ctx: Context): ctx is Context & HasOrigin {
  return "callOrigin" in ctx;
}

/** An endpoint that code of other services can call in this process. */
export type Callee = BundledEndpoint & { readonly call: CallCodec };

/** True if the call crosses services, so it must behave as over HTTP. */
export function isServiceCall(app: Wiring, ctx: Context, endpoint: BundledEndpoint): endpoint is Callee {
  return (
    endpoint.call !== undefined && hasOrigin(ctx) && ctx.callOrigin().service !== packageOf(app, endpoint)?.service
  );
}
