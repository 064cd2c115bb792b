import type { Context } from "../declare/context.ts";
import type { BundledEndpoint } from "./bundle.ts";
import { requireSignIn } from "./gate.ts";

/**
 * Runs an endpoint for a caller, whoever it is: a request, another handler, a test. The one place where its gate
 * stands. Throws the gate's refusal; returns what the handler returns, which may be a promise.
 */
export function call(ctx: Context, endpoint: BundledEndpoint, request: unknown): unknown {
  requireSignIn(endpoint);
  return endpoint.declaration.handler(ctx, request as never);
}
