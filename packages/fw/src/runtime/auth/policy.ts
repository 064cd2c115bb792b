import type { Context } from "../../declare/context.ts";
import { Deny, Fault, isDenied, type StatusError } from "../../declare/errors.ts";
import type { PolicyDeclaration } from "../../declare/policy.ts";
import type { User } from "../../declare/user.ts";
import { isPromise } from "../../lib/promise.ts";
import { isA, messageOf } from "../../lib/thrown.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { messages } from "../error-messages.ts";

/** By refusal, the name of the policy that made it. */
const authors = new WeakMap<object, string>();

/**
 * Asks an endpoint's policy whether the user may pass; a promise only where the policy has one. Throws the 403 of a Deny. Whatever else
 * is no admission becomes an error that no visitor can read, also one that has a status of its own.
 */
export function askPolicy(
  { declaration, name }: NonNullable<BundledEndpoint["allow"]>,
  ctx: Context,
  user: User,
): Promise<void> | undefined {
  let verdict: unknown;
  try {
    verdict = verdictOf(declaration, ctx, user);
  } catch (error) {
    throw failureOf(name, error);
  }
  if (!isPromise(verdict)) return requireAdmission(name, verdict);
  return verdict.then(
    (settled) => requireAdmission(name, settled),
    (error: unknown) => {
      throw failureOf(name, error);
    },
  );
}

/** The name of the policy that a refusal is of; "" for any other error. */
export function policyBehind(error: object): string {
  return authors.get(error) ?? "";
}

/** The refusal that a policy made, here or in another service. */
export function denialOf(policy: string, message: string): StatusError {
  const refusal = Deny(message);
  authors.set(refusal, policy);
  return refusal;
}

function verdictOf({ decide, roles = [] }: PolicyDeclaration, ctx: Context, user: User): unknown {
  if (decide !== undefined) return decide(ctx, user);
  if (roles.some((role) => user.hasRole(role))) return undefined;
  return Deny(messages.needsRole(roles.map((role) => role.name)));
}

function requireAdmission(name: string, verdict: unknown): undefined {
  if (verdict === undefined || verdict === null) return undefined;
  if (isA(verdict, Error)) throw failureOf(name, verdict);
  throw new Fault(
    `the policy ${name} returned a ${typeof verdict}: a policy returns nothing to admit, Deny(message) to refuse`,
  );
}

/** What a policy's error is for its endpoint's caller. The policy may give the same Deny again, so it is not marked itself. */
function failureOf(name: string, error: unknown): Error {
  if (!isDenied(error)) return new Error(`the policy ${name} failed`, { cause: error });
  return denialOf(name, messageOf(error));
}
