import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../lib/testing/free-port.ts";
import { serverUser, type TestServer } from "./server.ts";

/**
 * Starts PgBouncer in front of a server, in transaction mode with few connections, so that successive calls rarely use
 * the same one.
 */
export async function startPooler(server: TestServer): Promise<Pick<TestServer, "address" | "stop">> {
  const directory = mkdtempSync(join(tmpdir(), "fw-pgbouncer-"));
  const port = await freePort();
  const user = serverUser();
  writeFileSync(join(directory, "users.txt"), '"fw" ""\n');
  writeFileSync(
    join(directory, "pgbouncer.ini"),
    [
      "[databases]",
      `postgres = host=127.0.0.1 port=${server.port} dbname=postgres user=fw`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${join(directory, "users.txt")}`,
      "pool_mode = transaction",
      "default_pool_size = 4",
      "max_client_conn = 500",
      "server_reset_query = DISCARD ALL",
      "server_reset_query_always = 1",
      "",
    ].join("\n"),
  );
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  chmodSync(directory, 0o755);
  const child = spawn("pgbouncer", [join(directory, "pgbouncer.ini")], {
    ...user,
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error("PgBouncer does not start")));
    child.stderr.on("data", (chunk: Buffer) => {
      if (chunk.includes("process up")) resolve();
    });
  });
  return {
    address: (schema) => `postgres://fw@127.0.0.1:${port}/postgres?schema=${schema}&pgbouncer=true`,
    stop: () => {
      child.kill("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
