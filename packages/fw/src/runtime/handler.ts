import type { Bundle } from "./bundle.ts";
import { createApplication } from "./create-application.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { HandlerOptions, Served } from "./options.ts";
import { responder } from "./respond.ts";
import { fixSecrets } from "./secrets.ts";

/**
 * Answers requests of one bundle. A server may exchange it for another between two requests; those that have begun
 * stay with the one they began with.
 */
export type Handler = (exchange: Exchange) => void;

/** An application that is ready to serve. */
export interface Service {
  readonly handler: Handler;
  /** To be given to `Background.use`. */
  readonly app: Served;
}

/** Makes a bundle ready to serve and to work. Throws an UnsetSecrets when a secret is not set. */
export function createService(bundle: Bundle, options: HandlerOptions): Service {
  fixSecrets(bundle.secrets ?? []);
  const app = createApplication(bundle, options);
  return { app, handler: responder(app) };
}

/** Makes a bundle ready to serve. Throws as `createService`. */
export function createHandler(bundle: Bundle, options: HandlerOptions): Handler {
  return createService(bundle, options).handler;
}
