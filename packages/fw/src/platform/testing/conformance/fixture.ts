import { onTestFinished } from "vitest";
import type { Clock, Definitions, Document, EntityStore, Key, Platform, Query } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import type { PlatformErrorCode } from "../../errors.ts";
import type { Fields } from "../../values.ts";

/** Opens an empty platform with these definitions and this clock; `dispose` deletes the platform. */
export type OpenPlatform = (
  definitions: Definitions,
  clock: Clock | undefined,
) => Promise<{ readonly platform: Platform; dispose(): Promise<void> }>;

/** One kind whose queries need composite indexes, and one without any index. */
const definitions: Definitions = {
  kinds: [
    {
      kind: "item",
      properties: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "place.city" }, { name: "tags", many: true }],
      composites: [
        { properties: [asc("a"), desc("c")] },
        { properties: [asc("b"), desc("c")] },
        { properties: [asc("a"), asc("b"), asc("c")] },
        { properties: [asc("a"), desc("b")] },
        { properties: [asc("tags"), asc("c")] },
      ],
    },
    { kind: "plain", properties: [], composites: [] },
  ],
};

export function asc(property: string): { property: string; direction: "asc" } {
  return { property, direction: "asc" };
}

export function desc(property: string): { property: string; direction: "desc" } {
  return { property, direction: "desc" };
}

/** Opens a platform for the current test. */
export async function fixture(open: OpenPlatform, clock?: Clock, kinds: Definitions = definitions): Promise<Platform> {
  const opened = await open(kinds, clock);
  onTestFinished(async () => {
    await opened.platform.close();
    await opened.dispose();
  });
  return opened.platform;
}

export function item(id: string): Key {
  return { kind: "item", id };
}

/** Writes items, given by id. */
export async function fill(entities: EntityStore, items: Readonly<Record<string, Fields>>): Promise<void> {
  await Promise.all(Object.entries(items).map(([id, fields]) => entities.upsert(item(id), fields)));
}

/** Returns a query for items, by default for one page. */
export function items(query: Partial<Query>): Query {
  return { kind: "item", filters: [], orders: [], limit: 1000, ...query };
}

/** Returns the ids on the first page. */
export async function ids(entities: EntityStore, query: Partial<Query>): Promise<string[]> {
  return idsOf((await entities.query(items(query))).documents);
}

export function idsOf(documents: readonly Document[]): string[] {
  return documents.map((document) => document.id);
}

/** Returns the error code of the work; undefined if it succeeds. */
export async function failure(work: () => unknown): Promise<PlatformErrorCode | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof PlatformError) return error.code;
    throw error;
  }
}

/** A clock that only `advance` and `sleep` advance. */
export class ManualClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Advances the clock instead of sleeping. */
  async sleep(milliseconds: number): Promise<void> {
    this.advance(milliseconds);
  }
}
