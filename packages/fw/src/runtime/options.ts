import type { Application, ApplicationPorts } from "./application.ts";
import type { LogSink } from "./observe/log.ts";
import type { InjectedEndpoints } from "./routing/injected-endpoint.ts";

/** How a handler serves a bundle. */
export interface HandlerOptions extends ApplicationPorts {
  /** Takes every log record. Writes lines to standard output by default. */
  readonly log?: LogSink;
  /** Endpoints under `/_fw/`, matched before any route. */
  readonly injected?: InjectedEndpoints;
  /** At least 32 secret bytes that all instances of the service share; random for this process by default. */
  readonly csrfKey?: Uint8Array;
}

/** An application with the endpoints that are matched before its routes. */
export interface Served extends Application {
  readonly injected: InjectedEndpoints;
}
