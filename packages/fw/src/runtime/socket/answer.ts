import type { SocketHandler } from "../../declare/socket.ts";
import { fieldsOf } from "../body/fields.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { admitted } from "../call.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { socketPlaces } from "../access/places.ts";
import { originsOf } from "../access/origins.ts";
import { isByProgram } from "../auth/claim.ts";
import { StatusError } from "../../declare/errors.ts";
import { endInTime } from "../response/end-in-time.ts";
import { fail, goOnWith } from "../response/error.ts";
import { sendRefusal } from "../response/refusal.ts";
import { upgradeHeaders } from "../exchange/upgrade-headers.ts";
import type * as Accepting from "./accept.ts";
import type { OpenConnection } from "./connection.ts";

/** Only services that have sockets have it. */
let accepting: Promise<typeof Accepting> | undefined;

/** Makes the connection of a request one of messages, where its visitor may have one, and runs the handler until either ends. */
export function answerSocket(request: Request, endpoint: BundledEndpoint, params: string[]): void {
  const { exchange } = request;
  if (exchange.takeOver === undefined) return refuseOther(request);
  requireSocketOrigin(request, endpoint);
  const { query } = request;
  const fields = fieldsOf(request, endpoint);
  const decoded = endpoint.decode({ params, query, body: undefined, form: undefined, fields });
  goOnWith(request, admitted(request.ctx, endpoint), () => open(request, endpoint, decoded));
}

/** Answers a request for a page, or for another protocol. */
function refuseOther(request: Request): void {
  for (const [name, value] of upgradeHeaders) request.addHeader(name, value);
  sendRefusal(request, { status: 426, message: messages.wantsWebSocket }, true);
}

function open(request: Request, endpoint: BundledEndpoint, decoded: unknown): void {
  const leave = socketPlaces.take({ ip: request.ctx.client.ip, user: request.session?.identity.id });
  request.exchange.onceOver(leave);
  (accepting ??= import("./accept.ts"))
    .then(({ accept }) => accept(request, endpoint, (connection) => run(request, endpoint, decoded, connection)))
    .catch((error: unknown) => fail(request, error));
}

/** The connection ends with the handler, and the handler's signal with the connection. */
function run(request: Request, endpoint: BundledEndpoint, decoded: unknown, connection: OpenConnection): void {
  const { app } = request;
  const leave = (): void => connection.leave();
  const over = endInTime(request, endpoint, leave);
  app.stopping?.addEventListener("abort", leave, { once: true });
  connection.onceClosed(() => {
    over();
    app.stopping?.removeEventListener("abort", leave);
    request.finish();
  });
  if (app.stopping?.aborted) leave();
  const { handler } = endpoint.declaration as unknown as { readonly handler: SocketHandler<unknown, unknown, unknown> };
  const handle = async (): Promise<void> => handler(request.ctx, decoded, connection);
  handle().then(
    () => connection.end(),
    (error: unknown) => connection.fail(error),
  );
}

/**
 * Refuses pages of other origins than the socket's own: browsers let every page open a connection, with the cookies of whoever looks at it.
 * An origin that the Service names is let in, with a cookie only where it may bring those; who names no origin is a program. Throws a
 * StatusError 403.
 */
function requireSocketOrigin(request: Request, endpoint: BundledEndpoint): void {
  const origin = request.exchange.header("origin");
  if (origin === undefined || origin.toLowerCase() === request.ctx.origin) return;
  const origins = originsOf(request.app, endpoint);
  const isNamed = origins !== undefined && (origins.allowed === "*" || origins.allowed.includes(origin));
  const isPersonal = request.claim !== undefined && !isByProgram(request.claim);
  if (isNamed && (!isPersonal || (origins.credentials && origins.allowed !== "*"))) return;
  throw new StatusError(403, messages.crossSite);
}
