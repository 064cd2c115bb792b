import { join, resolve } from "node:path";
import { buildDirectory } from "../../build/places.ts";
import { appRoot } from "../app-root.ts";
import { command, refusing, type Command } from "../command.ts";
import { dataDirectory, dataOption } from "../data/options.ts";
import { defaultPort, portOf, secondsOf } from "../port.ts";

/** `fw serve`. */
export const serve: Command = command({
  name: "serve",
  summary: "run a built application on this machine, in production",
  details: [
    "Runs what fw build wrote: every service in a process of its own behind one port, with the data of the local platform in one directory. Nothing of the source is read. There are no test users and no dev bar; people sign in with the passwords of accounts that fw users makes. Private routes take other services only. The log is lines of JSON on standard output.",
    "A service that ends is started again. SIGHUP takes over what is in the directory of the build by then: new processes start beside those that run, get what comes from then on when all of them listen, and no request fails. What does not start is told and changes nothing. SIGTERM lets requests end, for some seconds.",
    "Requests that come through a proxy have its address. --trust-proxy names the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; without it nobody's are, and cookies are Secure only behind one that says https.",
    "From Node 24 on a service reads its own files and writes temporary ones, and starts no process: not even its code can read the data or the operator's key past the platform. --allow gives more.",
    "With --database, or the variable FW_DATABASE, the data is in PostgreSQL, and any number of machines serve the application behind a load balancer: fw docs postgres.",
    "A socket that systemd has opened (LISTEN_FDS) is listened at instead of a port.",
  ],
  arguments: [{ name: "build", takes: "optional", summary: "the directory of the build, .fw/build by default" }],
  options: {
    data: dataOption,
    database: {
      value: "<url>",
      summary:
        "keep the data in PostgreSQL: postgres://user@host/name. FW_DATABASE by default; put a password there or in PGPASSWORD, because other users can read a command line",
    },
    objects: {
      value: "<dir>",
      summary:
        "with a database, the directory of objects, which all machines share; the directory of the data by default",
    },
    drain: {
      value: "<seconds>",
      summary: "keep serving for so long after SIGTERM while load balancers notice; 0 by default, with a database 3",
    },
    port: { value: "<port>", short: "p", summary: "the port, PORT or 8080 by default; 0 for any free one" },
    host: { value: "<host>", summary: "the address to listen on, 127.0.0.1 by default; 0.0.0.0 for every one" },
    "trust-proxy": {
      value: "<address>",
      many: true,
      summary:
        "believe this proxy where a request came from: an address, or a network such as 10.0.0.0/8. Can be given more than once",
    },
    allow: {
      value: "<access>",
      many: true,
      summary:
        "let services do more, on Node 24 or newer: addons, child-processes, workers, wasi, sqlite, read=<path>, write=<path>, or all. Can be given more than once",
    },
  },
  examples: [
    { line: "fw build && fw serve", says: "http://localhost:8080" },
    { line: "fw serve --trust-proxy 127.0.0.1", says: "behind a proxy on this machine that speaks https" },
    { line: "fw serve /srv/notes/current --data /var/lib/notes", says: "without the source beside it" },
  ],
  async run(options, io, args) {
    const { behindProxies } = await import("../../topology/client-address.ts");
    const { readIsolation } = await import("../serve/isolation.ts");
    const { runServe } = await import("../serve/run.ts");
    const { build } = args;
    const address = options.database ?? (io.env["FW_DATABASE"] || undefined);
    const data = dataDirectory(options, io);
    const objects = options.objects === undefined ? data : resolve(io.cwd, options.objects);
    const settings = {
      build: build === undefined ? join(appRoot(io.cwd), buildDirectory) : resolve(io.cwd, build),
      data,
      ...(address !== undefined && { database: { address, objects } }),
      drainMs: secondsOf(options.drain ?? (address === undefined ? "0" : "3"), "drain") * 1_000,
      port: portOf(options.port ?? (io.env["PORT"] || defaultPort), "port"),
      host: options.host ?? "127.0.0.1",
      isolation: refusing(() => readIsolation(options.allow), `"--allow": `),
      visitorOf: refusing(() => behindProxies(options.trustProxy), `"--trust-proxy": `),
    };
    return runServe(settings, io);
  },
});
