import { Misconfigured } from "../configuration.ts";

/** What a service takes from its environment on a machine of somebody's own. */
export interface LocalConfiguration {
  /** Where the local platform keeps data; "" for nowhere. */
  readonly directory: string;
  /** True where a platform before the service lets nobody but services of the application to private routes. */
  readonly behindPlatform: boolean;
  /** True where the service runs beside the others on one machine, and is told of them on standard input. */
  readonly peers: boolean;
  /** True where it does so under `fw serve`, where nobody works on it. */
  readonly served: boolean;
}

/** Reads `FW_DATA` and `FW_BEHIND`, and `FW_PEERS` and `FW_SERVED`, which who runs all services sets. Throws a Misconfigured. */
export function localConfigurationOf(env: Readonly<Record<string, string | undefined>>): LocalConfiguration {
  return {
    directory: env["FW_DATA"] ?? "",
    behindPlatform: isBehindPlatform(env["FW_BEHIND"]),
    peers: env["FW_PEERS"] === "stdin",
    served: env["FW_SERVED"] === "true",
  };
}

function isBehindPlatform(value: string | undefined): boolean {
  if (value === undefined || value === "") return false;
  if (value === "platform") return true;
  throw new Misconfigured(
    `FW_BEHIND is "platform" where one stands before the service that lets only the application's own services to private routes, not ${JSON.stringify(value)}`,
  );
}
