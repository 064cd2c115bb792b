import { command, Refusal, type Command } from "../command.ts";
import { dataOption } from "../data/options.ts";
import { defaultPort, portOf } from "../port.ts";
import { loadForAnalysis } from "../tune-process.ts";

export interface DevSettings {
  /** 0 for any free port. */
  readonly port: number;
  readonly host: string;
  /** Additional host names that the server accepts. */
  readonly allowedHosts: readonly string[];
  /** Runs every service in its own process. */
  readonly services: boolean;
  /** Runs every service as built for Google Cloud, against a simulated cloud on this machine. */
  readonly cloud: boolean;
  /** The data directory, relative to the current one; by default the checked-out branch's. */
  readonly data: string | undefined;
  /** Runs the seeds even if there is data. */
  readonly seed: boolean;
  /** The debugger's address, and whether the application waits for a debugger before its first line. */
  readonly inspect: { readonly host: string; readonly port: number; readonly wait: boolean } | undefined;
}

export const dev: Command = command({
  name: "dev",
  summary: "serve the application on one port and reload it as you save",
  details: [
    "Serves every package of the application on one port. A saved file is checked and live within milliseconds, without a dropped request. While there are errors, fw shows them here and in the browser, and the last good version keeps running.",
    "With --services, each service runs in its own process, as when deployed: calls between services go over HTTP with the caller's session, private routes accept only other services, and each service has only the platform access that its code needs. A saved file restarts only the services that it changed, without a dropped request.",
    "--cloud rehearses a deployment: services run as built for Google Cloud, each with its own service account and the grants that its code needs, against a simulated cloud in memory that enforces those grants and Google's API descriptions. It is a simulation: it keeps no data, it does not model Google's quotas, latencies and indexes, and saved files are not reloaded. It needs the package fake-cloud from the fw repository.",
    "fw refuses requests for other host names than this machine's. This protects against DNS rebinding, in which a website reads the application through a name of its own. If you use a tunnel, allow its name with --allowed-host.",
    "Each git branch has its own data, which begins as a copy. --data names one directory for all branches.",
    "A crash of the application's code does not end the dev server. Ctrl-C stops it once requests have finished; a second Ctrl-C stops it at once.",
  ],
  options: {
    port: { value: "<port>", short: "p", summary: "the port (default 8080); 0 for any free one" },
    host: { value: "<host>", summary: "the address to listen on (default 127.0.0.1); 0.0.0.0 for all" },
    "allowed-host": {
      value: "<name>",
      many: true,
      summary: "also accept requests for this host name; .example means every name below it. Can be repeated",
    },
    data: dataOption,
    seed: { summary: "run the seeds of the application, even if there is data" },
    services: { summary: "run every service in its own process" },
    cloud: { summary: "rehearse a deployment to Google Cloud on this machine" },
    inspect: { summary: "let a debugger attach to the application at 127.0.0.1:9229" },
    "inspect-brk": { summary: "like --inspect, but wait for the debugger before running the first line" },
    "inspect-port": { value: "<port>", summary: "the debugger's port (default 9229)" },
  },
  examples: [
    { line: "fw dev", says: "serve at http://localhost:8080" },
    { line: "fw dev --port 3000 --host 0.0.0.0", says: "serve to other devices of the network" },
    { line: "fw dev --allowed-host my-app.tunnel.example", says: "serve behind a tunnel" },
    { line: "fw dev --services", says: "run services as when deployed" },
    { line: "fw dev --data .fw/data", says: "use the data of the main branch on every branch" },
    { line: "fw dev --cloud", says: "rehearse Google Cloud" },
    { line: "fw dev --inspect", says: "attach a debugger" },
  ],
  async run(options, io) {
    const settings: DevSettings = {
      port: portOf(options.port ?? defaultPort, "port"),
      host: options.host ?? "127.0.0.1",
      allowedHosts: options.allowedHost.map(hostName),
      services: options.services === true,
      cloud: options.cloud === true,
      data: options.data,
      seed: options.seed === true,
      inspect: inspectOf(options),
    };
    // A larger young generation saves little: most objects of an analysis survive, and this process keeps running.
    const { runDev } = await loadForAnalysis(4, () => import("../dev/run.ts"));
    return runDev(settings, io);
  },
});

interface InspectOptions {
  readonly inspect: true | undefined;
  readonly inspectBrk: true | undefined;
  readonly inspectPort: string | undefined;
}

function inspectOf({ inspect, inspectBrk, inspectPort }: InspectOptions): DevSettings["inspect"] {
  if (!inspectBrk && !inspect && inspectPort === undefined) return undefined;
  return { host: "127.0.0.1", port: portOf(inspectPort ?? "9229", "inspect-port"), wait: inspectBrk === true };
}

/** Validates a host name without scheme and port, or `.example` for all names below it. Returns it in lowercase. */
function hostName(value: string): string {
  if (/^\.?[\w-]+(?:\.[\w-]+)*$/.test(value)) return value.toLowerCase();
  throw new Refusal(
    `"--allowed-host" must be a name such as app.example, or .example for every name below it, not "${value}"`,
  );
}
