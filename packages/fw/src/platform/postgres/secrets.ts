import { randomBytes } from "node:crypto";
import type { Secrets } from "../local/keys.ts";
import type { Connections } from "./connections.ts";

const names = ["cursor", "token", "signed urls", "csrf"] as const;

const keyBytes = 32;

/** The application's keys, shared by all machines: the first machine creates them in the table `secrets`. */
export async function openSecrets(connections: Connections): Promise<Secrets> {
  const secrets = await readSecrets(connections);
  if (names.every((name) => secrets.has(name))) return secretsOf(secrets);
  await connections.write("", async (sql) => {
    await sql.rows("INSERT INTO @@secrets SELECT * FROM unnest($1::text[], $2::bytea[]) ON CONFLICT DO NOTHING", [
      [...names],
      names.map(() => randomBytes(keyBytes)),
    ]);
  });
  return secretsOf(await readSecrets(connections));
}

async function readSecrets(connections: Connections): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = await connections.read("SELECT name, value FROM @@secrets");
  return new Map(rows.map(({ name, value }) => [String(name), value as unknown as Uint8Array]));
}

function secretsOf(secrets: ReadonlyMap<string, Uint8Array>): Secrets {
  return (name) => secrets.get(name) ?? new Uint8Array();
}
