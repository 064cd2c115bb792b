import type { Need } from "../api.ts";
import { isGrantedBy, type Grant, type Policies } from "./policies.ts";

/** A recorded permission check: the caller and the permission. */
type AccessCheck = { readonly caller: string } & Need;

/** Returns the grants of `callers` that no check needs: removing one of them changes no check's result. */
export function unneededGrants(
  policies: Policies,
  checks: readonly AccessCheck[],
  callers: ReadonlySet<string>,
): readonly Grant[] {
  const own = policies.grants().filter(({ member }) => callers.has(member.replace(/^[^:]*:/, "")));
  const calls = [...new Map(checks.map((call) => [JSON.stringify(call), call])).values()];
  const deciding = calls.flatMap((call) => {
    const by = policies.grants().filter((grant) => isGrantedBy(grant, call.caller, call.permission, call.resource));
    return by.length === 1 ? by : [];
  });
  const needed = new Set(deciding.map((grant) => JSON.stringify(grant)));
  return own.filter((grant) => !needed.has(JSON.stringify(grant)));
}
