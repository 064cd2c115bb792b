import { join, resolve } from "node:path";
import { buildDirectory } from "../../build/directories.ts";
import { appRoot } from "../app-root.ts";
import { command, Refusal, refuseOnError, type Command } from "../command.ts";
import type { IO } from "../io.ts";
import { mainData } from "../../workspace/branch-data.ts";
import { parseDuration } from "../../lib/duration.ts";
import type { DashboardSettings } from "../serve/dashboard.ts";
import { defaultPort, portOf, secondsOf } from "../port.ts";

export const serve: Command = command({
  name: "serve",
  summary: "run a built application in production on this machine",
  details: [
    "Runs what fw build wrote: every service in its own process behind one port, with all data in one directory. Does not read the source. There are no test users and no dev bar; users sign in with passwords of accounts that you create with fw users, or at the OpenID Connect provider in FW_OIDC_ISSUER: see fw docs serve. Private routes accept only other services. The log goes to standard output as lines of JSON.",
    "fw restarts a service that exits. To upgrade, replace the build directory and send SIGHUP: fw starts new processes, switches to them once all of them listen, and drops no request. If one does not start, fw logs the reason and keeps the old version. After SIGTERM, requests have 7 seconds to finish.",
    "Behind a proxy, every request has the proxy's address. --trust-proxy names the proxies whose X-Forwarded-For and X-Forwarded-Proto headers fw trusts; without it, fw trusts none. Cookies are Secure only behind a trusted proxy that reports https.",
    "On Deno, and on Node 24 and later, a service can read only its own files, write only temporary files, and start no process, so that its code reaches the data only through the platform. Use --allow to permit more.",
    "With --database, or the variable FW_DATABASE, fw stores the data in PostgreSQL, and any number of machines can serve the application behind a load balancer: see fw docs postgres.",
    "If systemd passes a socket (LISTEN_FDS), fw listens on it instead of a port.",
  ],
  arguments: [{ name: "build", takes: "optional", summary: "the directory of the build (default .fw/build)" }],
  options: {
    data: { value: "<dir>", summary: "the data directory (default .fw/data)" },
    database: {
      value: "<url>",
      summary:
        "store the data in PostgreSQL: postgres://user@host/name (default FW_DATABASE). Put a password in FW_DATABASE or PGPASSWORD, because other users can read the command line",
    },
    "service-database": {
      value: "<url>",
      summary:
        "with a database, how each service connects as its own role: postgres://{role}@host/name (default FW_SERVICE_DATABASE, else all share one role). See fw gen sql",
    },
    objects: {
      value: "<place>",
      summary:
        "with a database, where objects are stored: a bucket s3://name?endpoint=…&region=…, or a directory that all machines share (default FW_OBJECTS, else the data directory)",
    },
    drain: {
      value: "<seconds>",
      summary: "keep serving after SIGTERM for this time while load balancers notice (default 0, with a database 3)",
    },
    dashboard: {
      value: "<port>",
      summary:
        "serve the operators' dashboard on this port of 127.0.0.1, with the password in FW_DASHBOARD_KEY (default none)",
    },
    traces: {
      value: "<share>",
      summary:
        "with the dashboard, keep the traces of failed and slow requests and of this share of the others, from 0 to 1 (default 0.05); off records none",
    },
    slow: {
      value: "<duration>",
      summary: "with the dashboard, treat requests and deliveries of at least this duration as slow (default 500ms)",
    },
    service: {
      value: "<name>",
      many: true,
      summary:
        "with a database, run only this service; other machines run the other services and the front. Can be repeated",
    },
    front: {
      summary: "with a database, run no services, but forward client requests to the machines that run them",
    },
    "service-address": {
      value: "<url>",
      many: true,
      summary:
        "with --service or --front, where other machines run a service: http://{service}:8080 for all, or orders=http://10.0.0.7:8080 for one (default FW_SERVICE_ADDRESS). Can be repeated",
    },
    migrate: {
      summary:
        "prepare the database for the build and exit: tables, indexes, and a role for each service's server. Needs the role that owns the tables; servers with their own roles wait for it",
    },
    "role-passwords": {
      value: "<dir>",
      summary:
        "with --migrate, set the passwords of the servers' roles: each file in the directory is named after a role and contains the address with which its server connects",
    },
    "migration-wait": {
      value: "<seconds>",
      summary: "with a server's own role, how long to wait until the database is prepared for the build (default 600)",
    },
    "accept-data-changes": {
      summary: "start although the previous version stored data that this build cannot read",
    },
    port: { value: "<port>", short: "p", summary: "the port (default PORT, else 8080); 0 for any free one" },
    host: { value: "<host>", summary: "the address to listen on (default 127.0.0.1); 0.0.0.0 for all" },
    "trust-proxy": {
      value: "<address>",
      many: true,
      summary: "trust this proxy's headers: an address, or a network such as 10.0.0.0/8. Can be repeated",
    },
    engine: {
      value: "<name>",
      summary: "run the services with node, bun or deno, the latter two from PATH (default node)",
    },
    processes: {
      value: "<count>",
      summary:
        "processes of each service: a number, or auto for one per processor (default 1). A service has at most maxInstances processes; singletons, job runners and services with sockets have one",
    },
    allow: {
      value: "<access>",
      many: true,
      summary:
        "give services more access on Deno, and on Node 24 and later: addons, child-processes, workers, wasi, sqlite, read=<path>, write=<path>, or all. Can be repeated",
    },
  },
  examples: [
    { line: "fw build && fw serve", says: "serve at http://localhost:8080" },
    { line: "fw serve --trust-proxy 127.0.0.1", says: "serve behind an HTTPS proxy on this machine" },
    { line: "fw serve --migrate", says: "prepare the database in FW_DATABASE for servers with roles of their own" },
    { line: "fw serve /srv/notes/current --data /var/lib/notes", says: "serve without the source" },
  ],
  async run(options, io, { build }) {
    const { behindProxies } = await import("../../topology/client-address.ts");
    const { databaseOf } = await import("../serve/data.ts");
    const { runServe } = await import("../serve/run.ts");
    if (options.traces !== undefined && options.dashboard === undefined)
      throw new Refusal('"--traces" needs --dashboard, which shows them');
    if (options.slow !== undefined && options.dashboard === undefined)
      throw new Refusal('"--slow" needs --dashboard, which shows slow requests');
    const data = options.data === undefined ? mainData(appRoot(io.cwd)) : resolve(io.cwd, options.data);
    const database = databaseOf(options, { data, cwd: io.cwd, env: io.env });
    const network = (await import("../serve/network.ts")).readNetwork(options, io.env, database !== undefined);
    const place = build === undefined ? join(appRoot(io.cwd), buildDirectory) : resolve(io.cwd, build);
    if (options.rolePasswords !== undefined && !options.migrate)
      throw new Refusal('"--role-passwords" needs --migrate');
    if (options.migrate) {
      if (database === undefined) throw new Refusal('"--migrate" needs --database');
      if (network !== undefined)
        throw new Refusal('"--migrate" prepares the database for all servers: leave out --service and --front');
      return (await import("../serve/migrate.ts")).runMigration(
        {
          database,
          data,
          acceptDataChanges: options.acceptDataChanges === true,
          passwords: options.rolePasswords && resolve(io.cwd, options.rolePasswords),
        },
        place,
        io,
      );
    }
    return runServe(
      {
        ...(network && { network }),
        build: place,
        data,
        ...(database && { database }),
        drainMs: secondsOf(options.drain ?? (database === undefined ? "0" : "3"), "drain") * 1_000,
        port: portOf(options.port ?? (io.env["PORT"] || defaultPort), "port"),
        host: options.host ?? "127.0.0.1",
        acceptDataChanges: options.acceptDataChanges === true,
        migrationWaitMs: secondsOf(options.migrationWait ?? "600", "migration-wait") * 1_000,
        ...(await import("../serve/release-settings.ts")).readReleaseSettings(options),
        ...(options.dashboard !== undefined && { dashboard: dashboardOf(options.dashboard, options, io.env) }),
        visitorOf: refuseOnError(() => behindProxies(options.trustProxy), `"--trust-proxy": `),
      },
      io,
    );
  },
});

/** The minimum length of the dashboard's password, in characters. */
const minKeyLength = 16;

function dashboardOf(
  port: string,
  { traces = "0.05", slow = "500ms" }: { readonly traces?: string; readonly slow?: string },
  { FW_DASHBOARD_KEY: key = "" }: IO["env"],
): DashboardSettings {
  if (key.length < minKeyLength)
    throw new Refusal(`"--dashboard" needs a password: set FW_DASHBOARD_KEY to at least ${minKeyLength} characters`);
  return { port: portOf(port, "dashboard"), key, traces: traceSelectionOf(traces, slow) };
}

/** Parses the options for traces; undefined if they are off. */
function traceSelectionOf(share: string, slow: string): DashboardSettings["traces"] {
  const slowMs = parseDuration(slow);
  if (slowMs === undefined)
    throw new Refusal(`"--slow" must be a duration, such as 500ms or 2s; it is ${JSON.stringify(slow)}`);
  if (share === "off") return undefined;
  if (!/^(?:0|1|0?\.\d+)$/.test(share))
    throw new Refusal(`"--traces" must be off or a share from 0 to 1, such as 0.05; it is ${JSON.stringify(share)}`);
  return { share: Number(share), slow: slowMs };
}
