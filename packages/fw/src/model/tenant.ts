import type { NamedDeclaration } from "./declaration-ref.ts";

/** A Tenant declaration. */
export interface Tenant extends NamedDeclaration<"tenant"> {
  /** The property of requests that has the id of the tenant. */
  readonly field: string;
}

/** A declaration whose data may be separate for each tenant. */
export interface Separated {
  /** The name of the Tenant; absent for data of all tenants. */
  readonly tenant?: string;
}
