import type { Context } from "../../declare/context.ts";
import { packageOf, type Wiring } from "../application.ts";
import type { BundledEndpoint, CallCodec } from "../bundle.ts";
import { knowsOrigin } from "./origin.ts";

/** An endpoint that code of other services can call in this process. */
export type Callee = BundledEndpoint & { readonly call: CallCodec };

/** Whether a call leads from one service to another: then both sides see what they would see of each other over HTTP. */
export function leadsAcross(app: Wiring, ctx: Context, endpoint: BundledEndpoint): endpoint is Callee {
  return (
    endpoint.call !== undefined && knowsOrigin(ctx) && ctx.callOrigin().service !== packageOf(app, endpoint)?.service
  );
}
