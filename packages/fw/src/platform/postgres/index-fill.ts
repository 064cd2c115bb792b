import { encodeScalar } from "../local/index-key.ts";
import { sharedSentence } from "../required-indexes.ts";
import type { RegistrySource } from "./commit.ts";
import type { Connections } from "./connections.ts";
import { entriesOf, entryColumns } from "./entries.ts";
import { Locks } from "./locks.ts";

/** Documents whose entries are made with one commit. */
const filledAtOnce = 500;

/** Values of which a warning says that several documents have them, for each property. */
const warnedValues = 20;

/**
 * Makes the entries of every document of a kind in these indexes, which commits keep up already. Commits of the kind wait
 * for each batch. `check` throws where the fill is to end.
 */
export async function fillIndexes(
  connections: Connections,
  registries: RegistrySource,
  kind: string,
  indexes: readonly number[],
  check: () => void,
): Promise<void> {
  const filling = new Set(indexes);
  const locks = new Locks(connections.address.schema).exclusive("kind", kind).sql;
  for (let after: string | undefined = ""; after !== undefined;) {
    check();
    const from: string = after;
    after = await connections.write(locks, async (sql): Promise<string | undefined> => {
      const rows = await sql.rows(
        `SELECT id, body FROM @@documents WHERE kind = $1 AND id > $2 ORDER BY id LIMIT ${filledAtOnce}`,
        [kind, from],
      );
      const entries = rows.flatMap(({ id, body }) =>
        entriesOf(registries.current, kind, String(id), String(body)).filter(({ ix }) => filling.has(ix)),
      );
      await sql.rows(
        `INSERT INTO @@entries (ix, head, more, rest, id)
         SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bytea[], $4::bytea[], $5::text[]) ON CONFLICT DO NOTHING`,
        entryColumns(entries),
      );
      return rows.length < filledAtOnce ? undefined : String(rows.at(-1)?.["id"]);
    });
  }
}

/** A sentence for each value of a unique property that several documents have, but null. */
export async function sharedValues(
  connections: Connections,
  ix: number,
  kind: string,
  property: string,
): Promise<readonly string[]> {
  const rows = await connections.read(
    `SELECT (array_agg(id ORDER BY id))[1:3] AS ids FROM
       (SELECT id, substr(head || rest, 1, octet_length(head) + octet_length(rest) - octet_length(id)) AS value
        FROM @@entries WHERE ix = $1) held
     WHERE value <> $2 GROUP BY value HAVING count(*) > 1 LIMIT ${warnedValues}`,
    [ix, encodeScalar(null, "asc")],
  );
  return rows.map(({ ids }) => sharedSentence(kind, property, ids as unknown as readonly string[]));
}
