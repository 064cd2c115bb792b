import type { ByteSize } from "./byte-size.ts";
import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of what is mounted, written as a literal. */
export interface MountConfig extends Scaling {
  /** True: 401 without a session; the user is available past it. */
  readonly signIn?: boolean;
  /** Decides which signed-in users may use it; implies `signIn`. */
  readonly allow?: PolicyDeclaration;
  /** True: reached by other services only, never from the public internet. */
  readonly private?: boolean;
  /** How large the body of a request may be, in place of 1 MB: `"10MB"`. */
  readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "1GB"'>;
}

/** `(ctx, request) => response`, as whatever speaks fetch has it. */
export type MountHandler = (ctx: Context, request: Request) => Response | Promise<Response>;

/** What `Mount` makes. */
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

/** The rule that a path breaks, or `unknown`. */
type MountRules<Path extends string> = string extends Path
  ? unknown
  : Path extends `/${string}`
    ? Path extends `${string}{${string}` | `${string}*${string}`
      ? Refused<"fw/const-route: a mount takes every path below its own: write it without parameters">
      : unknown
    : Refused<"fw/const-route: a mount has a path and no method, such as /graphql">;

/**
 * Hands every request at and below a path to something that speaks fetch: `Mount("/graphql", (ctx, request) => yoga.fetch(request, { ctx }))`.
 * Routes below the path that are declared besides go first.
 */
export function Mount<const Path extends string>(
  path: Path & MountRules<Path>,
  handler: MountHandler,
  config: MountConfig = {},
): MountDeclaration {
  return declared({ kind: "mount", route: `* ${path}`, handler, config } as const);
}
