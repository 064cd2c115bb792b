import type { Use } from "../model/uses.ts";

/**
 * An operation that a service may perform on a resource. Grants of the application follow from its code
 * (`model/resources.ts`); those for events and leases, and `signIn` and `testUser` for users, are for the framework
 * itself.
 */
export interface Grant {
  readonly kind: Use["kind"] | "event" | "lease";
  /** The resource's name; "" for users, and up to the first space for leases. */
  readonly name: string;
  readonly operation: string;
}

/** An operation that a service requests from the platform. */
export interface AccessRequest {
  readonly kind: Grant["kind"];
  readonly name: string;
  /** The operation's name in a refusal. */
  readonly asks: string;
  /** The granted operations that allow it; any one suffices. */
  readonly by: readonly string[];
}

export function isGranted(grants: readonly Grant[], request: AccessRequest): boolean {
  return grants.some(
    ({ kind, name, operation }) => kind === request.kind && name === request.name && request.by.includes(operation),
  );
}
