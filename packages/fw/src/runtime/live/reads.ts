import type { Context } from "../../declare/context.ts";
import { changesOf, type Changes } from "../../platform/changes.ts";
import type { Key, Platform, Query } from "../../platform/contract.ts";
import type { Ports } from "../../platform/lifetime.ts";
import { withMethods } from "../../platform/with-methods.ts";
import { InnerContext } from "../context.ts";

interface WatchedKind {
  readonly subscribers: Set<Reads>;
  readonly stop: AbortController;
}

const watches = new WeakMap<Platform, DocumentWatch>();

/** Watches the documents that live pages of this process have read, with one subscription per kind for all pages. */
class DocumentWatch {
  readonly #changes: Changes;
  readonly #kinds = new Map<string, WatchedKind>();

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  static of(platform: Platform): DocumentWatch {
    const existing = watches.get(platform);
    if (existing !== undefined) return existing;
    const watch = new DocumentWatch(changesOf(platform));
    watches.set(platform, watch);
    return watch;
  }

  subscribe(kind: string, reads: Reads): void {
    const existing = this.#kinds.get(kind);
    if (existing !== undefined) return void existing.subscribers.add(reads);
    const entry = { subscribers: new Set([reads]), stop: new AbortController() };
    this.#kinds.set(kind, entry);
    const notify = (keys: readonly Key[] | undefined): void => {
      for (const each of entry.subscribers) each.notify(kind, keys);
    };
    this.#changes.watch([kind], notify, entry.stop.signal);
  }

  unsubscribe(kind: string, reads: Reads): void {
    const entry = this.#kinds.get(kind);
    entry?.subscribers.delete(reads);
    if (entry === undefined || entry.subscribers.size > 0) return;
    this.#kinds.delete(kind);
    entry.stop.abort();
  }
}

/** The documents read by one render, and whether any of them may have changed. */
export class Reads {
  readonly #watch: DocumentWatch;
  /** The ids read of each kind; undefined for a kind that was queried. */
  readonly #ids = new Map<string, Set<string> | undefined>();
  #isStale = false;
  #isExpired = false;
  #wake: (() => void) | undefined;

  constructor(platform: Platform) {
    this.#watch = DocumentWatch.of(platform);
  }

  /** Records a document before it is read, so no later change is missed. */
  addKey({ kind, id }: Key): void {
    this.#subscribe(kind);
    const ids = this.#ids.has(kind) ? this.#ids.get(kind) : new Set<string>();
    ids?.add(id);
    this.#ids.set(kind, ids);
  }

  /** Records a query before it runs, because any document of its kind may change its result. */
  addQuery({ kind }: Pick<Query, "kind">): void {
    this.#subscribe(kind);
    this.#ids.set(kind, undefined);
  }

  notify(kind: string, keys: readonly Key[] | undefined): void {
    const ids = this.#ids.get(kind);
    if (this.#isStale || (keys !== undefined && ids !== undefined && !keys.some(({ id }) => ids.has(id)))) return;
    this.#isStale = true;
    this.#wake?.();
  }

  /** Causes another render even though no change is known. */
  expire(): void {
    this.#isExpired = true;
    this.#wake?.();
  }

  /** True if another render was requested and no change is known. */
  get isExpiredOnly(): boolean {
    return this.#isExpired && !this.#isStale;
  }

  /** Resolves when a document that was read may have changed, after `expire`, or when the signal aborts. */
  async changed(signal: AbortSignal): Promise<void> {
    if (this.#isStale || this.#isExpired || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  end(): void {
    for (const kind of this.#ids.keys()) this.#watch.unsubscribe(kind, this);
  }

  #subscribe(kind: string): void {
    if (!this.#ids.has(kind)) this.#watch.subscribe(kind, this);
  }
}

const readsByContext = new WeakMap<Context, Reads>();

export function recordReads(ctx: Context, reads: Reads): void {
  readsByContext.set(ctx, reads);
}

/** Records a query in a transaction if the context is a live page's. */
export function recordQuery(ctx: Context, query: Pick<Query, "kind">): void {
  readsOf(ctx)?.addQuery(query);
}

/** For the context of a live page, returns ports that record what they read. */
export function recordingPorts(ctx: Context, ports: Ports): Ports {
  const reads = readsOf(ctx);
  if (reads === undefined) return ports;
  const { entities } = ports;
  const recording = withMethods(entities, {
    get(key) {
      reads.addKey(key);
      return entities.get(key);
    },
    getMany(keys) {
      for (const key of keys) reads.addKey(key);
      return entities.getMany(keys);
    },
    query(query) {
      reads.addQuery(query);
      return entities.query(query);
    },
    count(query, upTo) {
      reads.addQuery(query);
      return entities.count(query, upTo);
    },
    total(query, property) {
      reads.addQuery(query);
      return entities.total(query, property);
    },
  });
  return withMethods(ports, { entities: recording });
}

function readsOf(ctx: Context): Reads | undefined {
  return readsByContext.get(ctx) ?? (ctx instanceof InnerContext ? readsOf(ctx.outer) : undefined);
}
