import { jsonLine, readableLine } from "./observe/log-line.ts";
import type { LogRecord } from "./observe/log.ts";

/** The settings that depend on where an application runs. */
export interface Settings {
  /** True if every request comes through a proxy of the platform, which reports the client's address and scheme. */
  readonly behindProxy: boolean;
  /** True if that proxy logs each request with a trace id and sends this id. */
  readonly hearsTraces: boolean;
  /** Whether this process schedules crons itself, or requests from the platform trigger them. */
  readonly crons: "scheduled" | "triggered";
  /** Whether the application itself refuses unauthorized callers of private routes, or the platform in front does. */
  readonly privateRoutes: "refused" | "guarded";
  /**
   * How users sign in: as test users and with passwords of the application's own accounts, only with such passwords, or
   * with an identity provider.
   */
  readonly signIn: "local" | "accounts" | "provider";
  /** The host of the OpenID provider that `fw serve` signs users in with; absent if there is none. */
  readonly socialHost?: string;
  /** Formats log lines, unless another sink receives the records. */
  readonly logLine: (record: LogRecord) => string;
  /** True if the values of counters and histograms are logged. */
  readonly logsMetrics: boolean;
}

/**
 * Returns the settings on this machine. It is a function because bundlers can drop unused calls but not spreads of a
 * constant.
 */
function local(changed: Partial<Settings> = {}): Settings {
  return {
    behindProxy: false,
    hearsTraces: false,
    crons: "triggered",
    privateRoutes: "refused",
    signIn: "local",
    logLine: readableLine,
    logsMetrics: true,
    ...changed,
  };
}

/** `fw dev`: the whole application in one process. */
export const dev: Settings = /* @__PURE__ */ local({ crons: "scheduled" });

/**
 * A service of `fw dev --services`. Only the forwarding process in front of it follows the cron schedule, because
 * services cannot acquire the leases of crons.
 */
export const services: Settings = /* @__PURE__ */ local();

/** A service of `fw serve`. */
export const served: Settings = /* @__PURE__ */ local({
  signIn: "accounts",
  logLine: jsonLine,
  logsMetrics: false,
});

export const test: Settings = /* @__PURE__ */ local({ crons: "scheduled" });

/** Production: with an identity provider, and behind a proxy of the platform. */
const deployed: Omit<Settings, "privateRoutes"> = {
  behindProxy: true,
  hearsTraces: false,
  crons: "scheduled",
  signIn: "provider",
  logLine: jsonLine,
  logsMetrics: false,
};

/**
 * Returns the settings of a built service that runs on its own. With `guarded`, the platform in front of it lets only
 * the application's services call private routes.
 */
export function built(privateRoutes: Settings["privateRoutes"]): Settings {
  return { ...deployed, privateRoutes };
}

/** A service on Google Cloud, whose platform checks the callers of private services. */
export const cloud: Settings = { ...deployed, hearsTraces: true, crons: "triggered", privateRoutes: "guarded" };
