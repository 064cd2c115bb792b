import { refsIn, type Schema, type TypeTable } from "../../model/schema.ts";
import type { TypeReading } from "./type-reading.ts";
import { withTags } from "./tag.ts";

/** The named types behind refs, with tags. Each is computed once until the checker gives more answers. */
export class NamedSchemas {
  readonly #reading: TypeReading;
  readonly #table: ReadonlyMap<string, Schema>;
  #cache = new Map<string, NamedSchema>();
  #answers = 0;

  constructor(reading: TypeReading, table: ReadonlyMap<string, Schema>) {
    this.#reading = reading;
    this.#table = table;
  }

  /** Returns the types that schemas refer to, directly or indirectly, sorted by id. */
  typesOf(schemas: readonly Schema[]): TypeTable {
    const schemasById = new Map<string, Schema>();
    const waiting = schemas.flatMap(refsIn);
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const named = schemasById.has(id) ? undefined : this.#named(id);
      if (!named) continue;
      schemasById.set(id, named.schema);
      waiting.push(...named.refs);
    }
    return Object.fromEntries([...schemasById].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #named(id: string): NamedSchema | undefined {
    if (this.#answers !== this.#reading.answers.size) this.#cache = new Map();
    this.#answers = this.#reading.answers.size;
    const cached = this.#cache.get(id);
    const schema = cached ? undefined : this.#table.get(id);
    if (!schema) return cached;
    const entry = { schema: withTags(schema, this.#table), refs: refsIn(schema) };
    this.#cache.set(id, entry);
    return entry;
  }
}

interface NamedSchema {
  readonly schema: Schema;
  readonly refs: readonly string[];
}
