import type { Context } from "../declare/context.ts";
import { isStatusError } from "../declare/errors.ts";
import { requireSignIn } from "./access/gate.ts";
import { askPolicy } from "./auth/policy.ts";
import type { BundledEndpoint } from "./bundle.ts";
import { usesPolicies } from "./capabilities.ts";

/**
 * Runs an endpoint for a caller, whoever it is: a request, another handler, a test. The one place where its gate and its
 * policy stand. Throws their refusal; returns what the handler returns, which may be a promise.
 */
export function call(ctx: Context, endpoint: BundledEndpoint, request: unknown): unknown {
  const asked = admitted(ctx, endpoint);
  const { handler } = endpoint.declaration;
  return asked === undefined ? handler(ctx, request as never) : asked.then(() => handler(ctx, request as never));
}

/** The same for code that calls an endpoint: fails also with an error that the handler returns. */
export async function called(ctx: Context, endpoint: BundledEndpoint, request: unknown): Promise<unknown> {
  const result = await call(ctx, endpoint, request);
  if (isStatusError(result)) throw result;
  return result;
}

/** Asks whether a caller may come in; a promise only where the policy has one. Throws the refusal. */
export function admitted(ctx: Context, endpoint: BundledEndpoint): Promise<void> | undefined {
  requireSignIn(ctx, endpoint);
  return usesPolicies && endpoint.allow ? askPolicy(endpoint.allow, ctx, ctx.user()) : undefined;
}
