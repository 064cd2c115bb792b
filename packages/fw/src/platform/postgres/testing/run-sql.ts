import { loadDriver, type SqlResult } from "../driver.ts";

/** Runs SQL on a separate connection, optionally as a role; returns the result of the last statement. */
export async function runSql(address: string, text: string, role = "fw"): Promise<SqlResult> {
  const { Client } = await loadDriver();
  const url = new URL(address);
  url.search = "";
  url.username = role;
  const options = { application_name: "test", keepAlive: false, connectionTimeoutMillis: 60_000 };
  const client = new Client({ ...options, connectionString: url.href });
  await client.connect();
  try {
    const results = [await client.query(text)].flat() as readonly SqlResult[];
    return results.at(-1) as SqlResult;
  } finally {
    await client.end();
  }
}
