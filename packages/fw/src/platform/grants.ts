import type { Use } from "../model/uses.ts";

/**
 * An operation that a service may perform on a resource. Grants for the application's own data follow from its code
 * (`model/resources.ts`). Only the framework itself uses grants for events and leases, and the operations `signIn` and
 * `testUser`.
 */
export interface PlatformGrant {
  readonly kind: Use["kind"] | "event" | "lease";
  /** The resource's name; "" for users. For leases, the part of the name before the first space. */
  readonly name: string;
  readonly operation: string;
}

export interface AccessRequest {
  readonly kind: PlatformGrant["kind"];
  readonly name: string;
  /** The operation, as named in the message of a refusal. */
  readonly asks: string;
  /** Granted operations that allow the request; any one suffices. */
  readonly by: readonly string[];
}

export function isGranted(grants: readonly PlatformGrant[], request: AccessRequest): boolean {
  return grants.some(
    ({ kind, name, operation }) => kind === request.kind && name === request.name && request.by.includes(operation),
  );
}
