import { REPLY } from "./brand.ts";
import type { Duration } from "./duration.ts";

export { isReply } from "./brand.ts";

/** The statuses that a reply can have: the final HTTP statuses except the obsolete 305 and 306. */
export type ReplyStatus =
  | (200 | 201 | 202 | 203 | 204 | 205 | 207 | 208 | 226)
  | (300 | 301 | 302 | 303 | 304 | 307 | 308)
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417)
  | (418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451)
  | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511);

/** A cookie to set. The defaults are the safe choices. */
export interface CookieSetting {
  /** The value: any string. */
  readonly value: string;
  /** The cookie's lifetime. By default, it lasts until the browser closes. */
  readonly maxAge?: Duration;
  /** If false, scripts on the page can read the cookie; true by default. */
  readonly httpOnly?: boolean;
  /** Whether cross-site requests include the cookie. By default (`lax`), they do only when the user follows a link. */
  readonly sameSite?: "lax" | "strict" | "none";
  /** Browsers send the cookie for URLs with this path prefix; `/` by default. */
  readonly path?: string;
  /**
   * If true, browsers send the cookie only over https; by default true for requests over https. Always true with
   * `sameSite: "none"`.
   */
  readonly secure?: boolean;
}

/** Options of `reply`. */
export interface ReplyOptions<Status extends ReplyStatus | undefined> {
  /** The status; by default, the one that the body would have without `reply`. */
  readonly status?: Status;
  /** Headers by name. Headers that fw controls, such as `Set-Cookie`, are refused. */
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** Cookies by name: a value, a value with settings, or null to delete the cookie. */
  readonly cookies?: Readonly<Record<string, string | CookieSetting | null | undefined>>;
}

/** A response body with status, headers and cookies. */
export interface Reply<Body = unknown, Status extends ReplyStatus | undefined = ReplyStatus | undefined> {
  /** The response body. */
  readonly body: Body;
  /** The status; undefined for the body's default. */
  readonly status: Status;
  /** The headers, as passed. */
  readonly headers: NonNullable<ReplyOptions<undefined>["headers"]>;
  /** The cookies, as passed. */
  readonly cookies: NonNullable<ReplyOptions<undefined>["cookies"]>;
}

/**
 * Adds a status, headers or cookies to a response: `return reply(order, { status: 201, headers: { Location: path } })`.
 * The generated client and the OpenAPI document include the status and body of every reply that a handler can return.
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
