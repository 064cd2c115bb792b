import type { Context } from "../../declare/context.ts";
import { Deny, Fault, isDenied, type StatusError } from "../../declare/errors.ts";
import type { PolicyDeclaration } from "../../declare/policy.ts";
import type { User } from "../../declare/user.ts";
import { isPromise } from "../../lib/promise.ts";
import { isA, messageOf } from "../../lib/thrown.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { messages } from "../error-messages.ts";

/** The names of the policies that created refusals, by refusal. */
const authors = new WeakMap<object, string>();

/**
 * Asks an endpoint's policy whether to admit the user. Returns a promise only if the policy does. Throws the 403 of a
 * Deny. Any other error or result becomes an internal error, even if it has a status, so clients never see its message.
 */
export function askPolicy(
  { declaration, name }: NonNullable<BundledEndpoint["allow"]>,
  ctx: Context,
  user: User,
  request: unknown,
): Promise<void> | undefined {
  let verdict: unknown;
  try {
    verdict = verdictOf(declaration, ctx, user, request);
  } catch (error) {
    throw failureOf(name, error);
  }
  if (!isPromise(verdict)) return requireVerdict(name, verdict);
  return verdict.then(
    (settled) => requireVerdict(name, settled),
    (error: unknown) => {
      throw failureOf(name, error);
    },
  );
}

/** Returns the name of the policy that created a refusal; "" for other errors. */
export function policyOfRefusal(error: object): string {
  return authors.get(error) ?? "";
}

/** Creates the refusal of a policy, whether of this service or another one. */
export function createDenial(policy: string, message: string): StatusError {
  const refusal = Deny(message);
  authors.set(refusal, policy);
  return refusal;
}

function verdictOf(
  { decide, roles = [] }: PolicyDeclaration<never>,
  ctx: Context,
  user: User,
  request: unknown,
): unknown {
  if (decide !== undefined) {
    // Only a policy that declares the request parameter receives the request.
    if (decide.length > 2) return decide(ctx, user, request as never);
    const decideByUser: (ctx: Context, user: User) => unknown = decide as never;
    return decideByUser(ctx, user);
  }
  if (roles.some((role) => user.hasRole(role))) return undefined;
  return Deny(messages.needsRole(roles.map((role) => role.name)));
}

function requireVerdict(name: string, verdict: unknown): undefined {
  if (verdict === undefined || verdict === null) return undefined;
  if (isA(verdict, Error)) throw failureOf(name, verdict);
  throw new Fault(
    `the policy ${name} returned a ${typeof verdict}: return nothing to admit, or Deny(message) to refuse`,
  );
}

/**
 * Converts a policy's error for the endpoint's caller. Copies a Deny before adding the policy's name, because the
 * policy may return the same object repeatedly.
 */
function failureOf(name: string, error: unknown): Error {
  if (!isDenied(error)) return new Error(`the policy ${name} failed`, { cause: error });
  return createDenial(name, messageOf(error));
}
