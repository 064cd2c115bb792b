import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { StatusError } from "./errors.ts";
import { hosted } from "./slot.ts";
import type { RouteConfig } from "./route-config.ts";

/**
 * `(ctx, request) => response`. An error is thrown: `Errorf`, `NotFound`, or anything else for an opaque 500. One with a status may be
 * returned as well, and is thrown for it: its type tells clients of it.
 */
export type Handler<Req, Res> = (ctx: Context, request: Req) => Res | Promise<Res>;

/** An endpoint. Call it from this package or any other: `await getOrder.call(ctx, { id })`. */
export interface EndpointDeclaration<in Req = never, Res = unknown> {
  /** @internal */
  readonly kind: "api" | "page";
  /** @internal */
  readonly route: string;
  /** @internal */
  readonly handler: Handler<Req, Res>;
  /** @internal */
  readonly config: RouteConfig;
  /**
   * Runs the endpoint as a caller would: its gate first, then its handler, here or in the service that has it.
   * Fails with what the handler throws, or returns of errors, or with the refusal of the gate.
   */
  call(ctx: Context, request: Req): Promise<Exclude<Res, StatusError>>;
}

/** What `API` and `Page` make. */
export function endpoint<Req, Res>(
  kind: "api" | "page",
  route: string,
  handler: Handler<Req, Res>,
  config: RouteConfig = {},
): EndpointDeclaration<Req, Res> {
  const declaration: EndpointDeclaration<Req, Res> = {
    kind,
    route,
    handler,
    config,
    // oxlint-disable-next-line no-useless-call -- Host.call is the framework's, not Function's
    call: (ctx, request) =>
      hosted<EndpointHost>(ctx).call(ctx, declaration, request) as Promise<Exclude<Res, StatusError>>,
  };
  return declared(declaration);
}

/** What an endpoint asks of the runtime, as part of the Host. */
export interface EndpointHost {
  call(ctx: Context, endpoint: EndpointDeclaration, request: unknown): Promise<unknown>;
}
