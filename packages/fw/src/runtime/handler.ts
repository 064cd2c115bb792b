import type { Bundle } from "./bundle.ts";
import { createApplication } from "./create-application.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { HandlerOptions, Served } from "./options.ts";
import { responder } from "./respond.ts";
import { fixSecrets } from "./secrets.ts";

/**
 * Responds to the requests of a bundle. A server may switch handlers between two requests; requests in progress keep
 * the handler they started with.
 */
export type Handler = (exchange: Exchange) => void;

/** An application that is ready to be served. */
export interface Service {
  readonly handler: Handler;
  /** The argument of `Background.use`. */
  readonly app: Served;
}

/** Prepares a bundle to serve requests and run background work. Throws an UnsetSecrets if a secret is unset. */
export function createService(bundle: Bundle, options: HandlerOptions): Service {
  fixSecrets(bundle.secrets ?? []);
  const app = createApplication(bundle, options);
  return { app, handler: responder(app) };
}

/** Prepares a bundle to serve requests. Throws like `createService`. */
export function createHandler(bundle: Bundle, options: HandlerOptions): Handler {
  return createService(bundle, options).handler;
}
