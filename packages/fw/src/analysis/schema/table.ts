import { refsIn, type Schema, type TypeTable } from "../../model/schema.ts";
import type { Reading } from "./reading.ts";
import { withTags } from "./tag.ts";

/** What stands behind the refs of schemas, tagged: each named type is worked out once between two answers of the checker. */
export class NamedSchemas {
  readonly #reading: Reading;
  readonly #table: ReadonlyMap<string, Schema>;
  #known = new Map<string, NamedSchema>();
  #answers = 0;

  constructor(reading: Reading, table: ReadonlyMap<string, Schema>) {
    this.#reading = reading;
    this.#table = table;
  }

  /** The types that some schemas refer to, directly or not, in the order of their ids. */
  behind(schemas: readonly Schema[]): TypeTable {
    const found = new Map<string, Schema>();
    const waiting = schemas.flatMap(refsIn);
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const named = found.has(id) ? undefined : this.#named(id);
      if (!named) continue;
      found.set(id, named.schema);
      waiting.push(...named.refs);
    }
    return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #named(id: string): NamedSchema | undefined {
    if (this.#answers !== this.#reading.answers.size) this.#known = new Map();
    this.#answers = this.#reading.answers.size;
    const known = this.#known.get(id);
    const schema = known ? undefined : this.#table.get(id);
    if (!schema) return known;
    const made = { schema: withTags(schema, this.#table), refs: refsIn(schema) };
    this.#known.set(id, made);
    return made;
  }
}

interface NamedSchema {
  readonly schema: Schema;
  readonly refs: readonly string[];
}
