import type { Context } from "./context.ts";
import { HOST } from "./host.ts";

export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** Settings of one route, written as a literal. */
export interface RouteConfig {
  readonly signIn?: boolean;
  readonly private?: boolean;
  /** Shared-cache lifetime, 1 second to 1 year; pages and blob responses only. */
  readonly maxAge?: Duration;
}

export type Handler<Req, Res> = (ctx: Context, request: Req) => Res | Promise<Res>;

/** What `API` and `Page` make: an inert record the generated wiring hands to the runtime. */
export interface EndpointDeclaration<Req = any, Res = any> {
  readonly kind: "api" | "page";
  readonly route: string;
  readonly handler: Handler<Req, Res>;
  readonly config: RouteConfig;
  /** Runs the endpoint as a caller would: its policy first, then its handler. */
  call(ctx: Context, request: Req): Promise<Res>;
}

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
    call: (ctx, request) => ctx[HOST].call(ctx, declaration, request) as Promise<Res>,
  };
  return Object.freeze(declaration);
}
