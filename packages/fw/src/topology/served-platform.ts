import type { Definitions, Platform } from "../platform/contract.ts";
import type { LocalDispatcher } from "../platform/local/open.ts";
import type { Dispatcher } from "../platform/messages.ts";

/** A platform for code that was built with certain definitions. */
export interface BuiltPlatform extends Platform {
  /** The same platform as a service reaches it; absent if all services reach it alike. */
  as?(service: string): Platform;
}

/** A platform that the services of one machine share, whether or not other machines do, too. */
export interface ServedPlatform extends Platform {
  readonly dispatcher: Dispatcher & Pick<LocalDispatcher, "backlog">;
  prepare: NonNullable<Platform["prepare"]>;
  fills: NonNullable<Platform["fills"]>;
  /** The same platform for code that was built with these definitions, which are committed or prepared. */
  builtWith(definitions: Definitions): BuiltPlatform;
  /** A key of the data: the same after each start, and on each machine. */
  readonly secret: (name: "csrf") => Uint8Array;
}
