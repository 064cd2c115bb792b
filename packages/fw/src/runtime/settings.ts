import { jsonLine, readableLine } from "./observe/log-line.ts";
import type { LogRecord } from "./observe/log.ts";

/** What is not alike in all the places where one application runs. */
export interface Settings {
  /** Whether every request comes through a proxy of the platform, which says what address and scheme it came from; else the connection does. */
  readonly behindProxy: boolean;
  /** Whether that proxy names the trace of each request, under which it has logged the request itself. */
  readonly hearsTraces: boolean;
  /** Who triggers crons: this process, or the platform by a request. */
  readonly crons: "scheduled" | "triggered";
  /** Who guards private routes from outsiders: the application, or a platform before the service, which has let in who comes. */
  readonly privateRoutes: "refused" | "guarded";
  /** How people sign in: as test users and with the passwords of the application's own accounts, with passwords only, or through an identity provider. */
  readonly signIn: "local" | "accounts" | "provider";
  /** How a line of the log is written, where nothing else takes its records. */
  readonly logLine: (record: LogRecord) => string;
  /** Whether what is added to counters and histograms is logged. */
  readonly logsMetrics: boolean;
}

/** Where somebody works on the application: all of it, or one of its services, whose visitors another process hands on. */
const local: Settings = {
  behindProxy: false,
  hearsTraces: false,
  crons: "scheduled",
  privateRoutes: "refused",
  signIn: "local",
  logLine: readableLine,
  logsMetrics: true,
};

/** Where nobody works on it: behind an identity provider and a proxy of the platform. */
const deployed: Omit<Settings, "privateRoutes"> = {
  behindProxy: true,
  hearsTraces: false,
  crons: "scheduled",
  signIn: "provider",
  logLine: jsonLine,
  logsMetrics: false,
};

/** The settings of every place where an application runs. */
export const settings: {
  /** `fw dev`. */
  readonly dev: Settings;
  /** A service of `fw dev --services`. */
  readonly services: Settings;
  /** A service of `fw serve`. */
  readonly served: Settings;
  /** A test. */
  readonly test: Settings;
  /** A built service on its own; `guarded` where a platform stands before it that lets only services of the application to private routes. */
  readonly built: (privateRoutes: Settings["privateRoutes"]) => Settings;
  /** A service on Google Cloud, whose platform lets only those to a private service who may call it. */
  readonly cloud: Settings;
} = {
  dev: local,
  services: local,
  served: { ...local, signIn: "accounts", logLine: jsonLine, logsMetrics: false },
  test: local,
  built: (privateRoutes) => ({ ...deployed, privateRoutes }),
  cloud: { ...deployed, hearsTraces: true, crons: "triggered", privateRoutes: "guarded" },
};
