import { NotFound } from "../../declare/errors.ts";
import type { Claims } from "../../platform/accounts.ts";
import type { Platform } from "../../platform/contract.ts";
import { withLease } from "../../platform/with-lease.ts";

/** Milliseconds that a change of roles may lock the account. */
const accountLeaseMs = 10_000;

/** Milliseconds that a change of roles waits for the lock. */
export const accountWaitMs = 30_000;

/**
 * Changes the roles in an account's claims and preserves all other claims. A lock serializes changes to an account
 * across all processes, so no change is lost. Throws NotFound for an unknown account.
 */
export async function changeRoles(
  platform: Platform,
  id: string,
  change: (roles: ReadonlySet<string>) => Iterable<string>,
): Promise<void> {
  const { accounts } = platform;
  if ((await accounts.get(id)) === undefined) throw NotFound();
  await withLease(platform, `account ${id}`, { hold: accountLeaseMs, wait: accountWaitMs }, async (keep) => {
    const account = await accounts.get(id);
    if (account === undefined) throw NotFound();
    const before = rolesOf(account.claims);
    const roles = [...new Set(change(new Set(before)))].toSorted();
    if (String(roles) === String(before)) return;
    await keep();
    await accounts.setClaims(id, { ...account.claims, roles });
  });
}

/** Returns the names of the roles in the claims, sorted. */
export function rolesOf({ roles }: Claims): string[] {
  const names = Array.isArray(roles) ? roles.filter((role) => typeof role === "string") : [];
  return [...new Set(names)].toSorted();
}
