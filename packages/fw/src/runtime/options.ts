import type { Application, ApplicationPorts } from "./application.ts";
import type { LogSink } from "./observe/log.ts";
import type { InjectedEndpoints } from "./routing/injected-endpoint.ts";

export interface HandlerOptions extends ApplicationPorts {
  /** Receives every log record; by default, lines are written to standard output. */
  readonly log?: LogSink;
  /** Endpoints under `/_fw/`, matched before any route. */
  readonly injected?: InjectedEndpoints;
  /**
   * At least 32 secret bytes that all instances of the service share; by default, a key for each process over HTTP and
   * a public key over HTTPS (`CsrfTokens`).
   */
  readonly csrfKey?: Uint8Array;
}

/** An application together with the endpoints that are matched before its routes. */
export interface Served extends Application {
  readonly injected: InjectedEndpoints;
}
