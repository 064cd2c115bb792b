import type { Context } from "../declare/context.ts";
import { isStatusError } from "../declare/errors.ts";
import type { HostedTenants } from "./tenant/tenant-operations.ts";
import { requireSignIn } from "./access/gate.ts";
import { askPolicy } from "./auth/policy.ts";
import type { BundledEndpoint } from "./bundle.ts";
import { hosted } from "../declare/slot.ts";
import { usesOnce, usesPolicies, usesTenants } from "./capabilities.ts";
import { runOnce } from "./submit/run-once.ts";

/**
 * Runs an endpoint for any caller: a request, another handler, or a test. Checks the gate and the policy first, and
 * throws their refusals. Returns the handler's result, which may be a promise.
 */
export function call(ctx: Context, endpoint: BundledEndpoint, request: unknown): unknown {
  const admission = checkAdmission(ctx, endpoint, request);
  const { handler } = endpoint.declaration;
  if (usesOnce && endpoint.once) return runOnce(ctx, endpoint, admission, (ctx) => handler(ctx, request as never));
  return admission === undefined
    ? handler(ctx, request as never)
    : admission.then((inside) => handler(inside ?? ctx, request as never));
}

/** Calls an endpoint like `call`, but also throws an error that the handler returns. */
export async function callEndpoint(ctx: Context, endpoint: BundledEndpoint, request: unknown): Promise<unknown> {
  const result = await call(ctx, endpoint, request);
  if (isStatusError(result)) throw result;
  return result;
}

/**
 * Checks the gate and the policy, and returns a promise only if the policy does. A members-only policy resolves with
 * the context for the handler, inside the tenant. Throws the refusal.
 */
export function checkAdmission(
  ctx: Context,
  endpoint: BundledEndpoint,
  request: unknown,
): Promise<Context | void> | undefined {
  requireSignIn(ctx, endpoint);
  if (!usesPolicies || endpoint.allow === undefined) return undefined;
  if (usesTenants && endpoint.allow.declaration.tenant !== undefined)
    return hosted<{ readonly tenants: HostedTenants }>(ctx).tenants.admit(ctx, endpoint.allow, request);
  return askPolicy(endpoint.allow, ctx, ctx.user(), request);
}
