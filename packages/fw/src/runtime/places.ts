import { jsonLine, readableLine } from "./observe/log-line.ts";
import type { LogRecord } from "./observe/log.ts";

/** The settings that depend on where an application runs. */
export interface Settings {
  /** True if every request comes through a proxy of the platform, which reports the client's address and scheme. */
  readonly behindProxy: boolean;
  /** True if that proxy sends the trace under which it has logged each request. */
  readonly hearsTraces: boolean;
  /** Runs crons: this process, or requests from the platform. */
  readonly crons: "scheduled" | "triggered";
  /** Protects private routes: the application itself, or the platform in front of the service. */
  readonly privateRoutes: "refused" | "guarded";
  /**
   * The ways to sign in: test users and passwords of the application's own accounts, only such passwords, or an
   * identity provider.
   */
  readonly signIn: "local" | "accounts" | "provider";
  /** The host of the OpenID provider with which `fw serve` signs users in; absent if there is none. */
  readonly socialHost?: string;
  /** Formats log lines, unless another sink receives the records. */
  readonly logLine: (record: LogRecord) => string;
  /** True if the values of counters and histograms are logged. */
  readonly logsMetrics: boolean;
}

/** This machine. A function, because the bundler can drop its calls but not spreads of a constant. */
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
 * A service of `fw dev --services`, behind a forwarding process. That process follows the schedule of crons: a service
 * may not hold their leases, so each tick that it claimed first would not run.
 */
export const services: Settings = /* @__PURE__ */ local();

/** A service of `fw serve`. */
export const served: Settings = /* @__PURE__ */ local({
  signIn: "accounts",
  logLine: jsonLine,
  logsMetrics: false,
});

export const test: Settings = /* @__PURE__ */ local({ crons: "scheduled" });

/** Production: behind an identity provider and a proxy of the platform. */
const deployed: Omit<Settings, "privateRoutes"> = {
  behindProxy: true,
  hearsTraces: false,
  crons: "scheduled",
  signIn: "provider",
  logLine: jsonLine,
  logsMetrics: false,
};

/**
 * A built service on its own; `guarded` if the platform in front of it allows only the application's services to call
 * private routes.
 */
export function built(privateRoutes: Settings["privateRoutes"]): Settings {
  return { ...deployed, privateRoutes };
}

/** A service on Google Cloud, whose platform checks the callers of private services. */
export const cloud: Settings = { ...deployed, hearsTraces: true, crons: "triggered", privateRoutes: "guarded" };
