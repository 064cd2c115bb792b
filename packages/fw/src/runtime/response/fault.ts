import { asError } from "../../lib/thrown.ts";
import { routeLogger } from "../observe/log.ts";
import type { Request } from "../request.ts";

/** Logs a bug in the application's code and notifies observers. */
export function reportFault(request: Request, error: unknown): void {
  const { route, requestId } = request;
  routeLogger(route, request.log).error("the request failed", { error: asError(error) });
  request.app.onFault?.({ error, requestId, route });
}
