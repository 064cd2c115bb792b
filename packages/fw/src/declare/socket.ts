import type { ByteSize } from "./byte-size.ts";
import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { APIRules, PathParams, Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of a socket, written as a literal. */
export interface SocketConfig extends Scaling {
  /** True: 401 without a session, before the connection is one of messages; the user is available past it. */
  readonly signIn?: boolean;
  /** Decides which signed-in users may connect; implies `signIn`. */
  readonly allow?: PolicyDeclaration;
  /** How large a message may be, in place of 64 kB: `"1MB"`. */
  readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "32MB"'>;
}

/** One visitor's end of a socket: the messages that come are iterated, each decoded and checked. */
export interface Connection<In, Out> extends AsyncIterable<In> {
  /**
   * Sends a message. Resolves when it is on its way, so that whoever awaits it sends no faster than the visitor reads; with false where
   * they have gone.
   */
  send(message: Out): Promise<boolean>;
  /** Ends the connection: with 1000, or a code of the application's own from 4000 to 4999, and a reason of at most 123 bytes. */
  close(code?: number, reason?: string): void;
}

/** `(ctx, request, socket) => …`; the connection ends when it returns. */
export type SocketHandler<Req, In, Out> = (
  ctx: Context,
  request: Req,
  socket: Connection<In, Out>,
) => void | Promise<void>;

/** What `Socket` makes. */
export interface SocketDeclaration<in Req = never, In = unknown, Out = unknown> {
  /** @internal */
  readonly kind: "socket";
  /** @internal */
  readonly route: string;
  /** @internal */
  readonly handler: SocketHandler<Req, In, Out>;
  /** @internal */
  readonly config: SocketConfig;
}

/**
 * A WebSocket of typed messages: `Socket("GET /rooms/{id}", async (ctx, { id }: { id: Path }, socket: Connection<Said, Heard>) => {
 * for await (const said of socket) … })`. Its gates and the origin of the page are asked before there is a connection.
 */
export function Socket<const Route extends string, Req = PathParams<Route>, In = unknown, Out = unknown>(
  route: Route & SocketRules<Route, NoInfer<Req>>,
  handler: SocketHandler<Req, In, Out>,
  config: SocketConfig = {},
): SocketDeclaration<Req, In, Out> {
  return declared({ kind: "socket", route, handler, config } as const);
}

/** `unknown` where the route suits the request, else the rule that it breaks. */
type SocketRules<Route extends string, Req> = string extends Route
  ? unknown
  : Route extends `GET /${string}`
    ? APIRules<Route, Req>
    : Refused<"fw/const-route: a socket begins as a GET, such as GET /rooms/{id}">;
