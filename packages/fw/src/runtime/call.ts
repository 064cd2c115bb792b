import type { Context } from "../declare/context.ts";
import { requireSignIn } from "./access/gate.ts";
import { askPolicy } from "./auth/policy.ts";
import type { BundledEndpoint } from "./bundle.ts";

/**
 * Runs an endpoint for a caller, whoever it is: a request, another handler, a test. The one place where its gate and its
 * policy stand. Throws their refusal; returns what the handler returns, which may be a promise.
 */
export function call(ctx: Context, endpoint: BundledEndpoint, request: unknown): unknown {
  requireSignIn(ctx, endpoint);
  const asked = endpoint.allow && askPolicy(endpoint.allow, ctx, ctx.user());
  const { handler } = endpoint.declaration;
  return asked === undefined ? handler(ctx, request as never) : asked.then(() => handler(ctx, request as never));
}
