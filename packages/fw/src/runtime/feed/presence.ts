import { randomUUID } from "node:crypto";
import type { Clock, Document, EntityStore, Key } from "../../platform/contract.ts";
import { feedPresenceKind } from "./kinds.ts";

/** Limit: milliseconds that a name remains present after its process has died. */
const presenceMs = 60_000;

/** Milliseconds between renewals of this process's names. */
const renewalMs = 20_000;

/**
 * The number of names to renew concurrently. Renewed one by one, some names of a busy process would expire before their
 * turn.
 */
const renewalsAtOnce = 8;

/** Limit: connections whose names `presence` reads. */
const presentAtOnce = 1_000;

/** Removes a name from the list. */
export type Leave = () => Promise<void>;

/** A name in a log. */
export interface Member {
  readonly log: string;
  readonly name: string;
}

interface Options {
  readonly store: () => Pick<EntityStore, "delete" | "query" | "upsert">;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

/** The names of this process's connections in presence lists. Their documents expire unless the process renews them. */
export class Presence {
  readonly #options: Options;
  readonly #members = new Map<string, Member>();
  #stop: AbortController | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Adds a name to the list until the returned function is called. */
  async join(member: Member): Promise<Leave> {
    const id = `${member.log}.${randomUUID()}`;
    this.#members.set(id, member);
    this.#start();
    const leave: Leave = async () => {
      this.#members.delete(id);
      if (this.#members.size === 0) this.#end();
      await this.#options.store().delete(keyOf(id)).catch(this.#options.failed);
    };
    try {
      await this.#write(id, member);
    } catch (error) {
      await leave();
      throw error;
    }
    return leave;
  }

  async documents(log: string): Promise<readonly Document[]> {
    const { documents } = await this.#options.store().query({
      kind: feedPresenceKind,
      filters: [{ property: "log", op: "==", value: log }],
      orders: [],
      limit: presentAtOnce,
    });
    return documents;
  }

  #start(): void {
    if (this.#stop !== undefined) return;
    this.#stop = new AbortController();
    void this.#renew(this.#stop.signal);
  }

  #end(): void {
    this.#stop?.abort();
    this.#stop = undefined;
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, failed } = this.#options;
    for (;;) {
      await clock.sleep(renewalMs, signal, { background: true }).catch(() => {});
      if (signal.aborted) return;
      const ids = [...this.#members.keys()];
      while (ids.length > 0)
        await Promise.all(ids.splice(0, renewalsAtOnce).map((id) => this.#renewOne(id).catch(failed)));
    }
  }

  async #renewOne(id: string): Promise<void> {
    const member = this.#members.get(id);
    if (member === undefined) return;
    await this.#write(id, member);
    // The connection left while its name was being written.
    if (!this.#members.has(id)) await this.#options.store().delete(keyOf(id));
  }

  async #write(id: string, { log, name }: Member): Promise<void> {
    const expires = new Date(this.#options.clock.now() + presenceMs);
    await this.#options.store().upsert(keyOf(id), { log, name }, { expires });
  }
}

/** Returns the names in documents, sorted and without duplicates. */
export function namesIn(documents: readonly Pick<Document, "fields">[]): readonly string[] {
  const names = documents.flatMap(({ fields: { name } }) => (typeof name === "string" ? [name] : []));
  return [...new Set(names)].toSorted();
}

function keyOf(id: string): Key {
  return { kind: feedPresenceKind, id };
}
