import type { NamedDeclaration } from "./declaration-ref.ts";

export interface Tenant extends NamedDeclaration<"tenant"> {
  /** The property of requests that holds the tenant's id. */
  readonly field: string;
}

/** A declaration whose data may be separate for each tenant. */
export interface Separated {
  /** The name of the Tenant; absent for shared data. */
  readonly tenant?: string;
}
