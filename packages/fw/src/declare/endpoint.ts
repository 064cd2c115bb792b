import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { StatusError } from "./errors.ts";
import { hosted } from "./slot.ts";
import type { RouteConfig } from "./route-config.ts";

/**
 * `(ctx, request) => response`. Throw `Errorf` or `NotFound` for an error response; an error that is not a
 * `StatusError` becomes an opaque 500. Returning an `Errorf` has the same effect as throwing it, and also adds its type
 * to the generated client.
 */
export type Handler<Req, Res> = (ctx: Context, request: Req) => Res | Promise<Res>;

/** An endpoint. Code in any package can call it: `await getOrder.call(ctx, { id })`. */
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
   * Runs the endpoint's gate and handler, in this process or in the service that contains it. Rejects with the error of
   * the gate or the handler.
   */
  call(ctx: Context, request: Req): Promise<Exclude<Res, StatusError>>;
}

/** Creates and registers the declaration of an `API` or a `Page`. */
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
  return recordDeclaration(declaration);
}

/** The part of the Host that calls endpoints. */
export interface EndpointHost {
  call(ctx: Context, endpoint: EndpointDeclaration, request: unknown): Promise<unknown>;
}
