import { hasBrand } from "./brand.ts";
import type { Duration } from "./duration.ts";

const REPLY: unique symbol = Symbol.for("fw.reply");

/** The statuses that a reply can have: those that HTTP has registered for whole answers. */
export type ReplyStatus =
  | (200 | 201 | 202 | 203 | 204 | 205 | 207 | 208 | 226)
  | (300 | 301 | 302 | 303 | 304 | 307 | 308)
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417)
  | (418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451)
  | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511);

/** A cookie to set. What is not said is the safe choice. */
export interface CookieSetting {
  /** Any text. */
  readonly value: string;
  /** How long the browser keeps it; until it is closed where nothing is said. */
  readonly maxAge?: Duration;
  /** False: scripts of the page may read it. */
  readonly httpOnly?: boolean;
  /** Whether requests that another site starts carry it: by default with links that lead here, and with nothing else. */
  readonly sameSite?: "lax" | "strict" | "none";
  /** The path below which it is sent, `/` by default. */
  readonly path?: string;
  /** True: over https only; by default where the request came by it. */
  readonly secure?: boolean;
}

/** What a reply says besides its body. */
export interface ReplyOptions<Status extends ReplyStatus | undefined> {
  /** The status; by default the one that the body has when it is returned by itself. */
  readonly status?: Status;
  /** Headers by name. Those that fw decides on, `Set-Cookie` among them, are refused. */
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Cookies by name: a text, a text with settings, or null to remove one. */
  readonly cookies?: Readonly<Record<string, string | CookieSetting | null | undefined>>;
}

/** A body with its status, headers and cookies. */
export interface Reply<Body = unknown, Status extends ReplyStatus | undefined = ReplyStatus | undefined> {
  /** What is sent. */
  readonly body: Body;
  /** Undefined where it is the body's own. */
  readonly status: Status;
  /** As they were given. */
  readonly headers: NonNullable<ReplyOptions<undefined>["headers"]>;
  /** As they were given. */
  readonly cookies: NonNullable<ReplyOptions<undefined>["cookies"]>;
}

/**
 * An answer that is more than its body: `return reply(order, { status: 201, headers: { Location: path } })`. The client and
 * the OpenAPI document know its status and its body, also where several are returned.
 */
export function reply<Body, const Status extends ReplyStatus | undefined = undefined>(
  body: Body,
  options: ReplyOptions<Status> = {},
): Reply<Body, Status> {
  const { status, headers = {}, cookies = {} } = options;
  return Object.freeze(
    Object.defineProperty({ body, status: status as Status, headers, cookies }, REPLY, { value: true }),
  );
}

/** True for what `reply` makes. */
export function isReply(value: unknown): value is Reply {
  return hasBrand(value, REPLY);
}
