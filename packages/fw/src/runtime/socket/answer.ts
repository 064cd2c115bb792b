import type { Context } from "../../declare/context.ts";
import type { SocketHandler } from "../../declare/socket.ts";
import { fieldsOf } from "../body/fields.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { checkAdmission } from "../call.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { socketPlaces } from "../access/places.ts";
import { originsOf } from "../access/origins.ts";
import { isByProgram } from "../auth/claim.ts";
import { StatusError } from "../../declare/errors.ts";
import { endInTime } from "../response/end-in-time.ts";
import { fail, continueWith } from "../response/error.ts";
import { sendRefusal } from "../response/refusal.ts";
import { upgradeHeaders } from "../exchange/upgrade-headers.ts";
import type * as Accepting from "./accept.ts";
import type { OpenConnection } from "./connection.ts";

/** Loaded when a socket is first opened. */
let accepting: Promise<typeof Accepting> | undefined;

/** Upgrades a request to a WebSocket if its client is admitted. Runs the handler until it or the connection ends. */
export function answerSocket(request: Request, endpoint: BundledEndpoint, params: string[]): void {
  const { exchange } = request;
  if (exchange.takeOver === undefined) return refuseOther(request);
  requireSocketOrigin(request, endpoint);
  const { query } = request;
  const fields = fieldsOf(request, endpoint);
  const input = endpoint.decode({ params, query, body: undefined, form: undefined, fields });
  continueWith(request, checkAdmission(request.ctx, endpoint, input), (inside) =>
    open({ request, ctx: inside ?? request.ctx, endpoint, input }),
  );
}

/** Responds with 426 to a request that does not ask for a WebSocket. */
function refuseOther(request: Request): void {
  for (const [name, value] of upgradeHeaders) request.draft.addHeader(name, value);
  sendRefusal(request, { status: 426, message: messages.wantsWebSocket }, true);
}

/** An admitted request for a socket, with the context for the handler. */
interface AdmittedRequest {
  readonly request: Request;
  readonly ctx: Context;
  readonly endpoint: BundledEndpoint;
  readonly input: unknown;
}

function open(admitted: AdmittedRequest): void {
  const { request, endpoint, input } = admitted;
  const leave = socketPlaces.take({ ip: request.ctx.client.ip, user: request.session?.identity.id });
  request.exchange.onceOver(leave);
  (accepting ??= import("./accept.ts"))
    .then(({ accept }) => accept(request, endpoint, input, (connection) => run(admitted, connection)))
    .catch((error: unknown) => fail(request, error));
}

/** Ends the connection when the handler ends, and aborts the handler's signal when the connection ends. */
function run({ request, ctx, endpoint, input }: AdmittedRequest, connection: OpenConnection): void {
  const { app } = request;
  const leave = (): void => connection.leave();
  const cancelDeadline = endInTime(request, endpoint, leave);
  app.stopping?.addEventListener("abort", leave, { once: true });
  connection.onceClosed(() => {
    cancelDeadline();
    app.stopping?.removeEventListener("abort", leave);
    request.finish();
  });
  if (app.stopping?.aborted) leave();
  const { handler } = endpoint.declaration as unknown as { readonly handler: SocketHandler<unknown, unknown, unknown> };
  const handle = async (): Promise<void> => handler(ctx, input, connection);
  handle().then(
    () => connection.end(),
    (error: unknown) => connection.fail(error),
  );
}

/**
 * Throws a 403 for pages of other origins, because browsers let any page open a WebSocket with the user's cookies.
 * Admits origins that the Service lists, and with a cookie only if it allows credentials. Admits clients without an
 * origin, which are programs.
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
