/**
 * Constants that guard the code of each port. `fw build` replaces this module like `runtime/capabilities.ts`, so that a
 * service without accounts does not contain their store.
 */
export const hasAccounts: boolean = true;

export const hasObjects: boolean = true;

export const hasMessages: boolean = true;

/** Stands in for a port that no code of the service can reach. */
export const unusedPort: never = undefined as never;
