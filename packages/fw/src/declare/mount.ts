import type { ByteSize } from "./byte-size.ts";
import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of a mount, written as a literal. */
export interface MountConfig extends Scaling {
  /** If true, requests without a signed-in user get a 401, and `ctx.user()` is available. */
  readonly signIn?: boolean;
  /** The policy that decides which signed-in users may access the mounted path; implies `signIn`. */
  readonly allow?: PolicyDeclaration;
  /** If true, only other services of the application can reach it. */
  readonly private?: boolean;
  /** The maximum size of a request body, such as `"10MB"`; 1 MB by default. */
  readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "1GB"'>;
}

/** `(ctx, request) => response`, with the standard `Request` and `Response`. */
export type MountHandler = (ctx: Context, request: Request) => Response | Promise<Response>;

/** The result of `Mount`. */
export interface MountDeclaration {
  /** @internal */
  readonly kind: "mount";
  /** @internal */
  readonly route: string;
  /** @internal */
  readonly handler: MountHandler;
  /** @internal */
  readonly config: MountConfig;
}

/** `unknown` if the path is valid; otherwise a type that states the rule. */
export type MountRules<Path extends string> = string extends Path
  ? unknown
  : Path extends `/${string}`
    ? Path extends `${string}{${string}` | `${string}*${string}`
      ? Refused<"fw/const-route: a mount gets every path below its own: write it without parameters">
      : unknown
    : Refused<"fw/const-route: a mount takes a path without a method, such as /graphql">;

/**
 * Passes every request at or below a path to a fetch handler: `Mount("/graphql", (ctx, request) => yoga.fetch(request,
 * { ctx }))`. Routes declared below the path take precedence.
 */
export function Mount<const Path extends string>(
  path: Path & MountRules<Path>,
  handler: MountHandler,
  config: MountConfig = {},
): MountDeclaration {
  return recordDeclaration({ kind: "mount", route: `* ${path}`, handler, config } as const);
}
