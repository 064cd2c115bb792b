import { randomBytes } from "node:crypto";
import { PlatformError } from "../errors.ts";
import type { Secrets } from "../local/keys.ts";
import type { Connections } from "./connections.ts";

const names = ["cursor", "token", "signed urls", "csrf"] as const;

const keyBytes = 32;

/**
 * The application's keys, shared by all machines: the first machine creates them in the table `secrets`. A role that
 * does not own the tables reads those that it needs.
 */
export async function openSecrets(connections: Connections): Promise<Secrets> {
  const secrets = await readSecrets(connections);
  if (!connections.isOwner || names.every((name) => secrets.has(name))) return secretsOf(secrets);
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

/** Fails for a missing key: everyone could forge what an empty one signs. */
function secretsOf(secrets: ReadonlyMap<string, Uint8Array>): Secrets {
  return (name) => {
    const secret = secrets.get(name);
    if (secret?.length === keyBytes) return secret;
    const todo = 'run "fw serve --migrate" with the role that owns the tables';
    throw new PlatformError("data", `the role of the database cannot read the key for ${name}: ${todo}`);
  };
}
