// Stores the documents of the comparison with only the driver `pg`: a column for each indexed value, a version, and the
// rest as JSON.
import { Pool } from "pg";

export async function openDriver(address) {
  const schema = new URL(address).searchParams.get("schema");
  const pool = new Pool({ connectionString: address.replace(/\?.*$/, ""), max: 10 });
  await pool.query(`CREATE SCHEMA ${schema}`);
  await pool.query(
    `CREATE TABLE ${schema}.orders (id text PRIMARY KEY, buyer text, placed timestamptz, fields jsonb NOT NULL, version bigint)`,
  );
  await pool.query(`CREATE SEQUENCE ${schema}.versions`);
  for (const columns of ["buyer", "placed", "buyer, placed DESC"])
    await pool.query(`CREATE INDEX ON ${schema}.orders (${columns})`);
  const upsert = `INSERT INTO ${schema}.orders VALUES ($1, $2, $3, $4, nextval('${schema}.versions'))
    ON CONFLICT (id) DO UPDATE SET buyer = excluded.buyer, placed = excluded.placed, fields = excluded.fields,
    version = excluded.version RETURNING version`;
  const values = (n) => [`o${n}`, `b${n % 500}`, new Date(1e12 + n * 1000), { note: "n".repeat(100), n }];
  return {
    close: () => pool.end(),
    async fill(count) {
      for (let n = 0; n < count; n += 500)
        await Promise.all(Array.from({ length: 500 }, (_, i) => pool.query(upsert, values(n + i))));
    },
    get: (n) => pool.query(`SELECT * FROM ${schema}.orders WHERE id = $1`, [`o${n}`]),
    query: (n) =>
      pool.query(`SELECT * FROM ${schema}.orders WHERE buyer = $1 ORDER BY placed DESC LIMIT 20`, [`b${n % 500}`]),
    put: (n) => pool.query(upsert, values(n)),
    async transaction(n) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const { rows } = await client.query(`SELECT fields FROM ${schema}.orders WHERE id = $1 FOR UPDATE`, [`o${n}`]);
        const fields = { ...rows[0].fields, n: rows[0].fields.n + 1 };
        await client.query(
          `UPDATE ${schema}.orders SET fields = $2, version = nextval('${schema}.versions') WHERE id = $1`,
          [`o${n}`, fields],
        );
        await client.query("COMMIT");
      } finally {
        client.release();
      }
    },
  };
}
