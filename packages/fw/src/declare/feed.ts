import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { ServerEvent } from "./events.ts";
import { hosted } from "./slot.ts";
import type { TenantDeclaration, TenantSetting } from "./tenant.ts";

/** Options of `feed.events`. */
export interface FeedOptions {
  /**
   * The id of the last event that the client has received, such as its `Last-Event-ID`. Without it, the iterable yields
   * only new events.
   */
  readonly after?: string | undefined;
}

/** An event of a feed. `data` is the published value; pass `id` as `after` to continue after this event. */
export interface FeedEvent<T> extends ServerEvent<T> {
  readonly id: string;
  /** True if the client has missed earlier events that are no longer stored. */
  readonly hasGap: boolean;
}

/** The result of `Feed`. */
export interface FeedDeclaration<T = unknown> {
  /** The kind of declaration. */
  readonly kind: "feed";
  /** The name, as written. */
  readonly name: string;
  /** @internal */
  readonly tenant?: TenantDeclaration | "shared";
  /**
   * Publishes a value of at most 64 KiB of JSON to all followers of the key, in every process. Inside a transaction, it
   * is published if and only if the transaction commits.
   */
  publish(ctx: Context, key: string, value: T): Promise<void>;
  /**
   * Follows a key: `return events(tickets.events(ctx, id, { after }))`, or `for await (const { data } of
   * tickets.events(ctx, id)) await socket.send(data)`. The iterable ends with the request.
   */
  events(ctx: Context, key: string, options?: FeedOptions): AsyncIterable<FeedEvent<T>>;
  /** Follows a key like `events`, and adds the name to `presence` until the iterable ends. */
  join(ctx: Context, key: string, name: string, options?: FeedOptions): AsyncIterable<FeedEvent<T>>;
  /**
   * Returns the names that have joined a key in any process, sorted and without duplicates. Reads at most 1,000 of the
   * connections that have joined.
   */
  presence(ctx: Context, key: string): Promise<readonly string[]>;
  /**
   * Yields the result of `presence` now and after every change. If you pass a name, it is present until the iterable
   * ends.
   */
  followPresence(ctx: Context, key: string, name?: string): AsyncIterable<readonly string[]>;
}

/**
 * Declares a feed of events for connected clients: `export const tickets = Feed<TicketChange>("tickets")`. Each key,
 * such as the id of a ticket, has its own ordered events. With `{ tenant: orgs }`, each tenant has its own keys.
 */
export function Feed<T>(name: string, settings: TenantSetting = {}): FeedDeclaration<T> {
  const feed: FeedDeclaration<T> = {
    kind: "feed",
    name,
    ...(settings.tenant && { tenant: settings.tenant }),
    publish: async (ctx, key, value) => hosted<FeedHost>(ctx).feeds.publish(ctx, feed, key, value),
    events: (ctx, key, options = {}) =>
      hosted<FeedHost>(ctx).feeds.events(ctx, feed, key, options) as AsyncIterable<FeedEvent<T>>,
    join: (ctx, key, joined, options = {}) =>
      hosted<FeedHost>(ctx).feeds.join(ctx, feed, key, joined, options) as AsyncIterable<FeedEvent<T>>,
    presence: async (ctx, key) => hosted<FeedHost>(ctx).feeds.presence(ctx, feed, key),
    followPresence: (ctx, key, joined) => hosted<FeedHost>(ctx).feeds.followPresence(ctx, feed, key, joined),
  };
  return recordDeclaration(feed);
}

/** The operations of feeds, as the runtime implements them. */
export interface FeedOperations {
  publish(ctx: Context, feed: FeedDeclaration, key: string, value: unknown): Promise<void>;
  events(ctx: Context, feed: FeedDeclaration, key: string, options: FeedOptions): AsyncIterable<FeedEvent<unknown>>;
  join(
    ctx: Context,
    feed: FeedDeclaration,
    key: string,
    name: string,
    options: FeedOptions,
  ): AsyncIterable<FeedEvent<unknown>>;
  presence(ctx: Context, feed: FeedDeclaration, key: string): Promise<readonly string[]>;
  followPresence(
    ctx: Context,
    feed: FeedDeclaration,
    key: string,
    name: string | undefined,
  ): AsyncIterable<readonly string[]>;
}

/** The part of the Host that publishes to feeds and follows them. */
export interface FeedHost {
  readonly feeds: FeedOperations;
}
