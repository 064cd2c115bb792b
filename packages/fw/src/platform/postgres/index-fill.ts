import { encodeScalar } from "../local/index-key.ts";
import { sharedSentence } from "../required-indexes.ts";
import type { RegistrySource } from "./commit.ts";
import type { Connections } from "./connections.ts";
import { entriesOf, entryColumns } from "./entries.ts";
import { Locks } from "./locks.ts";

/** The number of documents that one commit indexes. */
const filledAtOnce = 500;

/** The most duplicate values to warn about, for each property. */
const warnedValues = 20;

/**
 * Creates the entries of every document of a kind in these indexes, which commits already maintain. Commits of the kind
 * wait for each batch. `check` throws to end the fill.
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

/** A warning for each value of a unique property that several documents share; null may repeat. */
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
