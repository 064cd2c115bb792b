import type { IncomingMessage, ServerResponse } from "node:http";
import { hostNameOf } from "../lib/host-name.ts";
import { requireAdmission } from "./access/admission.ts";
import type { Application } from "./application.ts";
import { connectionOf } from "./connection/connection.ts";
import { acceptable } from "./connection/http-guard.ts";
import { messages } from "./messages.ts";
import { Request } from "./request.ts";
import { fail, refuse } from "./response/error.ts";

/** Hands a request to `answer`, unless it is one that no process of fw takes, whatever it serves. */
export function guard(
  app: Application,
  req: IncomingMessage,
  res: ServerResponse,
  expectsContinue: boolean,
  answer: (request: Request) => void,
): void {
  if (connectionOf(req.socket).refused) return;
  const request = new Request(app, req, res, expectsContinue);
  try {
    if (!acceptable(req, request)) return refuseMalformed(request);
    if (app.isOwnHost?.(req.headers.host) === false) return refuseForeign(request);
    if (app.admission !== undefined) requireAdmission(request, app.admission);
    answer(request);
  } catch (error) {
    fail(request, error);
  }
}

/** Answers a request that another implementation could read differently, and nothing that follows it. */
function refuseMalformed(request: Request): void {
  request.connection.refused = true;
  request.res.shouldKeepAlive = false;
  refuse(request, { status: 400, message: messages.badRequest });
}

/** Keeps out a page of another site whose name was made to lead here (DNS rebinding). */
function refuseForeign(request: Request): void {
  refuse(request, { status: 403, message: messages.foreignHost(hostNameOf(request.req.headers.host)) });
}
