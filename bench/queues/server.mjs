// A new PostgreSQL server with its package's settings: commits are flushed to disk.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

export async function startPostgres() {
  const versions = readdirSync("/usr/lib/postgresql").toSorted((a, b) => Number(b) - Number(a));
  const programs = process.env.FW_POSTGRES ?? join("/usr/lib/postgresql", versions[0], "bin");
  const directory = mkdtempSync(join(tmpdir(), "fw-bench-postgres-"));
  // PostgreSQL refuses to run as root.
  const idOf = (option) => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  const user = userInfo().uid === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined;
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const options = { ...user, cwd: directory };
  const data = join(directory, "data");
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "bench", "--auth=trust", "-E", "UTF8"], options);
  const port = await freePort();
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${directory}`];
  const child = spawn(join(programs, "postgres"), ["-D", data, ...settings.flatMap((each) => ["-c", each])], {
    ...options,
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const [chunk] of on(child.stderr)) if (chunk.includes("ready to accept connections")) break;
  child.stderr.resume();
  return {
    version: execFileSync(join(programs, "postgres"), ["--version"], { encoding: "utf8" }).trim(),
    address: (schema) => `postgres://bench@127.0.0.1:${port}/postgres?schema=${schema}`,
    /** Returns the CPU time of the server's child processes that are running now. */
    cpuMicroseconds: () => {
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
      return (
        children.reduce((sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]), 0) /
        1000
      );
    },
    stop: () => {
      child.kill("SIGKILL");
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function* on(stream) {
  for (;;) yield await once(stream, "data");
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
