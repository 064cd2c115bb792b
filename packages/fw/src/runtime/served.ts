import type { Application } from "./application.ts";
import type { InjectedEndpoints } from "./routing/injected-endpoint.ts";

/** An application with what is answered before its routes. */
export interface Served extends Application {
  readonly injected: InjectedEndpoints;
}
