import { jsonLine, readableLine } from "./observe/log-line.ts";
import type { LogRecord } from "./observe/log.ts";

/** What is not alike in all the places where one application runs. */
export interface Settings {
  /** Whether every request comes through a proxy of the platform, which says what address and scheme it came from; else the connection does. */
  readonly behindProxy: boolean;
  /** Who guards private routes from outsiders: the application, or a platform before the service, which has let in who comes. */
  readonly privateRoutes: "refused" | "guarded";
  /** How people sign in: as test users and with the passwords of the application's own accounts, or through an identity provider. */
  readonly signIn: "local" | "provider";
  /** How a line of the log is written, where nothing else takes its records. */
  readonly logLine: (record: LogRecord) => string;
  /** Whether what is added to counters and histograms is logged. */
  readonly logsMetrics: boolean;
}

/** Where somebody works on the application: all of it, or one of its services, whose visitors another process hands on. */
const local: Settings = {
  behindProxy: false,
  privateRoutes: "refused",
  signIn: "local",
  logLine: readableLine,
  logsMetrics: true,
};

/** The settings of every place where an application runs. */
export const settings: {
  /** `fw dev`. */
  readonly dev: Settings;
  /** A service of `fw dev --services`. */
  readonly services: Settings;
  /** A test. */
  readonly test: Settings;
  /** A built service on its own; `guarded` where a platform stands before it that lets only services of the application to private routes. */
  readonly built: (privateRoutes: Settings["privateRoutes"]) => Settings;
} = {
  dev: local,
  services: local,
  test: local,
  built: (privateRoutes) => ({
    behindProxy: true,
    privateRoutes,
    signIn: "provider",
    logLine: jsonLine,
    logsMetrics: false,
  }),
};
