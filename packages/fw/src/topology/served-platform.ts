import type { Definitions, Platform } from "../platform/contract.ts";
import type { LocalDispatcher } from "../platform/local/open.ts";
import type { Dispatcher } from "../platform/messages.ts";

/** A platform with the definitions that certain code was built with. */
export interface BuiltPlatform extends Platform {
  /** Returns the same platform as seen by a service; absent if all services see the same. */
  as?(service: string): Platform;
}

/** A platform shared by all services of one machine, and possibly by services of other machines. */
export interface ServedPlatform extends Platform {
  readonly dispatcher: Dispatcher & Pick<LocalDispatcher, "backlog">;
  prepare: NonNullable<Platform["prepare"]>;
  fills: NonNullable<Platform["fills"]>;
  /** Returns the same platform for code built with these definitions, which must be committed or prepared. */
  builtWith(definitions: Definitions): BuiltPlatform;
  /** Returns a secret. It is stored with the data, so all machines and later starts share it. */
  readonly secret: (name: "csrf") => Uint8Array;
}
