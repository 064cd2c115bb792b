import type { Application, ApplicationPorts } from "./application.ts";
import type { LogSink } from "./observe/log.ts";
import type { InjectedEndpoints } from "./routing/injected-endpoint.ts";

/** How a handler serves a bundle. */
export interface HandlerOptions extends ApplicationPorts {
  /** Takes every log record. By default they are lines of standard output. */
  readonly log?: LogSink;
  /** Endpoints under `/_fw/`, answered before any route. */
  readonly injected?: InjectedEndpoints;
  /** At least 32 secret bytes that every instance of the service shares; by default random for this process. */
  readonly csrfKey?: Uint8Array;
}

/** An application with what is answered before its routes. */
export interface Served extends Application {
  readonly injected: InjectedEndpoints;
}
