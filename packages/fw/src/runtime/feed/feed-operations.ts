import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { event } from "../../declare/events.ts";
import type { FeedDeclaration, FeedEvent, FeedOperations } from "../../declare/feed.ts";
import { decodeTagged, encodeTagged } from "../../lib/tagged-json.ts";
import { asError } from "../../lib/thrown.ts";
import { changesOf } from "../../platform/changes.ts";
import type { Platform } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import { platformOf, type Application } from "../application.ts";
import { usesFollowedPresence, usesTenants } from "../capabilities.ts";
import { lifetimeIn } from "../context-ports.ts";
import { fenceOf, transactionContextOf, transactionOf } from "../entity/entity.ts";
import { TransactionContext } from "../entity/transaction-context.ts";
import { conflicts, refusing } from "../response/refusing.ts";
import { nameInTenant } from "../tenant/tenant-context.ts";
import { unused } from "../unused.ts";
import { appendEvent, emptyHead, keptEvents, logId, type Head } from "./event-log.ts";
import { followNames } from "./presence-watch.ts";
import { namesIn, Presence, type Leave, type Member } from "./presence.ts";
import { FeedWatch } from "./watch.ts";

/** Limit: bytes of a value published to a feed. */
const feedValueBytes = 64 * 1024;

/** Limit: events that are read at once. */
const eventsAtOnce = 20;

const watches = new WeakMap<Platform, FeedWatch>();

const presences = new WeakMap<Platform, Presence>();

/** Implements feeds. Each feed and key is a stored log of events, and each process watches the logs' positions. */
export function feedOperations(application: () => Application): FeedOperations {
  const platform = (): Platform => platformOf(application(), "store events of feeds on");
  const failed = (error: unknown): void => {
    const fields = { error: asError(error) };
    const message = "could not read new events of feeds; trying again";
    application().log({ at: new Date(), level: "warn", message, tags: {}, fields });
  };
  return {
    async publish(ctx, feed, key, value) {
      const log = logOf(ctx, feed, key);
      const text = encodeTagged(value);
      if (Buffer.byteLength(text) > feedValueBytes)
        throw new Fault(`feed ${feed.name}: a value has at most ${feedValueBytes} bytes`);
      const watch = watchOf(platform(), failed);
      await watch.whenJoined(log);
      await append(ctx, platform(), { log, text, wake: () => watch.wake(log) });
    },
    events: (ctx, feed, key, { after }) => {
      const log = logOf(ctx, feed, key);
      return follow(watchOf(platform(), failed), { log, after, signal: ctx.signal });
    },
    join: (ctx, feed, key, name, { after }) => {
      const member = memberOf(ctx, feed, key, name);
      const enter = (): Promise<Leave> => presenceOf(platform(), failed).join(member);
      const { log } = member;
      return follow(watchOf(platform(), failed), { log, after, signal: ctx.signal, enter });
    },
    presence: async (ctx, feed, key) => namesIn(await presenceOf(platform(), failed).documents(logOf(ctx, feed, key))),
    followPresence: usesFollowedPresence
      ? (ctx, feed, key, name) => {
          const log = logOf(ctx, feed, key);
          const member = name === undefined ? undefined : memberOf(ctx, feed, key, name);
          const presence = presenceOf(platform(), failed);
          return followNames(platform(), failed, { log, member, presence, signal: ctx.signal });
        }
      : unused,
  };
}

function memberOf(ctx: Context, feed: FeedDeclaration, key: unknown, name: unknown): Member {
  const log = logOf(ctx, feed, key);
  if (typeof name !== "string") throw new Fault(`feed ${feed.name}: the name is ${typeof name}, not a string`);
  return { log, name };
}

/** Returns the id of a key's log, which includes the tenant if tenants separate the feed. */
function logOf(ctx: Context, feed: FeedDeclaration, key: unknown): string {
  if (typeof key !== "string") throw new Fault(`feed ${feed.name}: the key is ${typeof key}, not a string`);
  return logId(usesTenants ? nameInTenant(ctx, feed) : feed.name, key);
}

function presenceOf(platform: Platform, failed: (error: unknown) => void): Presence {
  const existing = presences.get(platform);
  if (existing !== undefined) return existing;
  const presence = new Presence({ store: () => platform.entities, clock: platform.clock, failed });
  presences.set(platform, presence);
  return presence;
}

function watchOf(platform: Platform, failed: (error: unknown) => void): FeedWatch {
  const existing = watches.get(platform);
  if (existing !== undefined) return existing;
  const { clock } = platform;
  const watch = new FeedWatch({ store: () => platform.entities, changes: changesOf(platform), clock, failed });
  watches.set(platform, watch);
  return watch;
}

interface Publication {
  readonly log: string;
  readonly text: string;
  /** Called after the commit. */
  readonly wake: () => void;
}

/** Adds the event in the context's transaction, or in a new one. */
async function append(ctx: Context, platform: Platform, { log, text, wake }: Publication): Promise<void> {
  const now = platform.clock.now();
  const [transaction, outer] = [transactionOf(ctx), transactionContextOf(ctx)];
  if (transaction !== undefined && outer instanceof TransactionContext) {
    outer.afterCommit.push(wake);
    return appendEvent(transaction, log, text, now);
  }
  const options = { ...fenceOf(ctx), until: lifetimeIn(ctx) };
  await refusing(conflicts, () => transact(platform, (own) => appendEvent(own, log, text, now), options));
  wake();
}

interface Following {
  readonly log: string;
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  /** Adds the follower's name to the presence list. */
  readonly enter?: () => Promise<Leave>;
}

/** Yields the events after a position until the client disconnects. */
async function* follow(watch: FeedWatch, following: Following): AsyncGenerator<FeedEvent<unknown>> {
  const { log, enter } = following;
  // Start immediately, so the client does not miss events that it publishes next.
  const entering = enter?.();
  const joining = watch.join(log, entering);
  try {
    const [start] = await Promise.all([joining, entering]);
    yield* eventsAfter(watch, { ...following, start });
  } finally {
    watch.leave(log);
    // Remove the name even if reading the position failed. If adding the name failed, there is nothing to remove.
    const leave = await entering?.catch(() => undefined);
    await leave?.();
  }
}

/**
 * Yields the events after a position as fast as the client reads them. There is no buffer: a slow client reads stored
 * events later, and misses events that are no longer stored.
 */
async function* eventsAfter(
  watch: FeedWatch,
  { log, after, signal, start }: Following & { readonly start: Head },
): AsyncGenerator<FeedEvent<unknown>> {
  let position = after === undefined ? start : positionOf(after);
  let isIncomplete = false;
  while (!signal.aborted) {
    const head = watch.headOf(log);
    if (head.epoch !== position.epoch) {
      isIncomplete ||= position.last > 0;
      position = { epoch: head.epoch, last: 0 };
    }
    if (head.last <= position.last) {
      await watch.headChanged(log, head, signal);
      continue;
    }
    const first = Math.max(position.last + 1, head.last - keptEvents + 1);
    isIncomplete ||= first > position.last + 1;
    const last = Math.min(head.last, first + eventsAtOnce - 1);
    const texts = await watch.texts(log, { epoch: head.epoch, first, last });
    for (const [i, text] of texts.entries()) {
      if (signal.aborted) return;
      if (text === undefined) isIncomplete = true;
      else {
        yield feedEvent(decodeTagged(text), `${head.epoch}.${first + i}`, isIncomplete);
        isIncomplete = false;
      }
    }
    position = { epoch: head.epoch, last };
  }
}

function feedEvent(data: unknown, id: string, hasGap: boolean): FeedEvent<unknown> {
  return event(data, { id, hasGap } as { readonly id: string }) as FeedEvent<unknown>;
}

/** Parses an event id. Any other string counts as an event that is no longer stored, so the next event has a gap. */
function positionOf(id: string): Head {
  const [, epoch = "", last = "0"] = /^([0-9a-z]{1,16})\.([1-9][0-9]{0,14})$/.exec(id) ?? [];
  return epoch === "" ? { ...emptyHead, last: 1 } : { epoch, last: Number(last) };
}
