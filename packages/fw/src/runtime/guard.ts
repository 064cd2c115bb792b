import { hostNameOf } from "../lib/host-name.ts";
import { requireAdmission } from "./access/trusted-proxy.ts";
import type { Application } from "./application.ts";
import type { Exchange } from "./exchange/exchange.ts";
import { acceptable } from "./exchange/http-guard.ts";
import { messages } from "./error-messages.ts";
import { Request } from "./request.ts";
import { fail, refuse } from "./response/error.ts";

/** Passes a request to `answer`. Refuses a malformed request, one for another host, and one that is not admitted. */
export function guard<App extends Application>(
  app: App,
  exchange: Exchange,
  answer: (request: Request, app: App) => void,
): void {
  const request = new Request(app, exchange);
  try {
    if (!acceptable(exchange, request)) return refuseMalformed(request);
    if (app.isOwnHost?.(exchange.header("host")) === false) return refuseForeign(request);
    if (app.admission !== undefined) requireAdmission(request, app.admission);
    answer(request, app);
  } catch (error) {
    fail(request, error);
  }
}

/** Refuses a request that other HTTP implementations could interpret differently, and ignores further data. */
function refuseMalformed(request: Request): void {
  request.exchange.refuseRest();
  refuse(request, { status: 400, message: messages.badRequest });
}

/** Refuses a request from another site's page whose host name resolves to this server (DNS rebinding). */
function refuseForeign(request: Request): void {
  refuse(request, { status: 403, message: messages.foreignHost(hostNameOf(request.exchange.header("host"))) });
}
