import type { Definitions, Platform } from "../platform/contract.ts";
import type { LocalDispatcher } from "../platform/local/open.ts";
import type { Dispatcher } from "../platform/messages.ts";

/** A platform for code that was built with certain definitions. */
export interface BuiltPlatform extends Platform {
  /** Returns the same platform as a certain service sees it; absent if all services see the same. */
  as?(service: string): Platform;
}

/** A platform that all services of one machine share, and perhaps services of other machines. */
export interface ServedPlatform extends Platform {
  readonly dispatcher: Dispatcher & Pick<LocalDispatcher, "backlog">;
  prepare: NonNullable<Platform["prepare"]>;
  fills: NonNullable<Platform["fills"]>;
  /** Returns the same platform for code that was built with these definitions, which must be committed or prepared. */
  builtWith(definitions: Definitions): BuiltPlatform;
  /** A secret that is stored with the data, so that it is the same after each start and on each machine. */
  readonly secret: (name: "csrf") => Uint8Array;
}
