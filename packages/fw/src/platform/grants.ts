import type { Use } from "../model/uses.ts";

/**
 * What a service may do with a resource. Those of the application are the uses of its code (`model/resources.ts`); an
 * event and a lease, `signIn` and `testUser` of users, are what the framework itself does.
 */
export interface Grant {
  readonly kind: Use["kind"] | "event" | "lease";
  /** The resource's name; of users "", of a lease its name up to the first space. */
  readonly name: string;
  readonly operation: string;
}

/** One thing that a service asks of the platform. */
export interface Ask {
  readonly kind: Grant["kind"];
  readonly name: string;
  /** What it is called where it is refused. */
  readonly asks: string;
  /** The granted operations that allow it, each of them. */
  readonly by: readonly string[];
}

/** Whether one of the grants covers what is asked. */
export function isGranted(grants: readonly Grant[], asked: Ask): boolean {
  return grants.some(
    ({ kind, name, operation }) => kind === asked.kind && name === asked.name && asked.by.includes(operation),
  );
}
