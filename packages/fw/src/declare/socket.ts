import type { ByteSize } from "./byte-size.ts";
import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { APIRules, PathParams, Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of a socket, written as a literal. */
export interface SocketConfig<in Req = never> extends Scaling {
  /** If true, connections without a signed-in user get a 401 before the upgrade, and `ctx.user()` is available. */
  readonly signIn?: boolean;
  /** The policy that decides which signed-in users may connect; implies `signIn`. */
  readonly allow?: PolicyDeclaration<Req>;
  /** The maximum size of a message, such as `"1MB"`; 64 kB by default. */
  readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "32MB"'>;
}

/** One client's connection. Iterate over it to receive messages, each decoded and validated. */
export interface Connection<In, Out> extends AsyncIterable<In> {
  /**
   * Sends a message. Resolves with true once it is buffered, or with false if the connection has ended. It waits only
   * while the buffer is full, so a slow client does not delay others. fw disconnects clients that do not read.
   */
  send(message: Out): Promise<boolean>;
  /** Closes the connection with code 1000 or an application code, 4000 to 4999, and a reason of at most 123 bytes. */
  close(code?: number, reason?: string): void;
}

/** `(ctx, request, socket) => …`. The connection closes when the function returns. */
export type SocketHandler<Req, In, Out> = (
  ctx: Context,
  request: Req,
  socket: Connection<In, Out>,
) => void | Promise<void>;

/** The result of `Socket`. */
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
 * Declares a WebSocket with typed messages: `Socket("GET /rooms/{id}", async (ctx, { id }: { id: Path }, socket:
 * Connection<Said, Heard>) => { for await (const said of socket) … })`. fw checks the gates and the page's origin
 * before it accepts the connection.
 */
export function Socket<const Route extends string, Req = PathParams<Route>, In = unknown, Out = unknown>(
  route: Route & SocketRules<Route, NoInfer<Req>>,
  handler: SocketHandler<Req, In, Out>,
  config: SocketConfig<NoInfer<Req>> = {},
): SocketDeclaration<Req, In, Out> {
  return recordDeclaration({ kind: "socket", route, handler, config } as const);
}

/** `unknown` if the route matches the request; otherwise a type that states the rule. */
type SocketRules<Route extends string, Req> = string extends Route
  ? unknown
  : Route extends `GET /${string}`
    ? APIRules<Route, Req>
    : Refused<"fw/const-route: a socket route must be a GET, such as GET /rooms/{id}">;
