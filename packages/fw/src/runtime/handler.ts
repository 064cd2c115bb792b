import type { IncomingMessage, ServerResponse } from "node:http";
import { createApplication } from "./application.ts";
import type { Bundle } from "./bundle.ts";
import type { HandlerOptions } from "./options.ts";
import { respond } from "./respond.ts";

/**
 * Answers requests of one bundle. A server may exchange it for another between two requests; those that have begun
 * stay with the one they began with. `expectsContinue` is true for a request that came as node's `checkContinue`.
 */
export type Handler = (req: IncomingMessage, res: ServerResponse, expectsContinue: boolean) => void;

/** Makes a bundle ready to serve. */
export function createHandler(bundle: Bundle, options: HandlerOptions): Handler {
  const app = createApplication(bundle, options);
  return (req, res, expectsContinue) => respond(app, req, res, expectsContinue);
}
