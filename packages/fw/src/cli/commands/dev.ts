import { command, Refusal, type Command } from "../command.ts";
import { defaultPort, portOf } from "../port.ts";

/** What the options of `fw dev` stand for. */
export interface DevSettings {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** Other names that the server answers to. */
  readonly allowed: readonly string[];
  /** Every service in a process of its own. */
  readonly services: boolean;
  /** Every service as it is built for Google Cloud, on a cloud of this machine. */
  readonly cloud: boolean;
  /** Where a debugger may attach to the application, and whether its first line waits for one. */
  readonly inspect: { readonly host: string; readonly port: number; readonly wait: boolean } | undefined;
}

/** `fw dev`. */
export const dev: Command = command({
  name: "dev",
  summary: "serve the application on one port and follow its files",
  details: [
    "Serves every package of the application on one port. A saved file is analysed and live within milliseconds; no request is dropped on the way. While there are errors, they are shown here and in the browser, and the last good version keeps answering.",
    "With --services each service is built and runs as its own process, as it would when deployed: what one asks of another goes over HTTP under the caller's session, private routes take other services only, and a service can do on the platform what its code was seen to use and nothing else. A saved file starts those services anew that it changed, and no request is dropped on the way.",
    "With --cloud it is a rehearsal of a deployment: services run as they are built for Google Cloud, each as its own account with the grants that its code needs, on a cloud in the memory of this machine, which asks for those grants and refuses what Google's descriptions of its APIs do not allow. It is no cloud: nothing is kept when it ends, quotas, latencies and indexes are not Google's, and saved files are not followed. It needs the package fake-cloud, of fw's own repository.",
    "Requests that name another host than this machine are refused, so that no site can have its own name point here and read what the application says. A tunnel's name is one: --allowed-host lets it in.",
    "A crash of the application's code does not end the dev server. Ctrl-C stops it and lets requests finish; a second Ctrl-C stops at once.",
  ],
  options: {
    port: { value: "<port>", short: "p", summary: "the port, 8080 by default; 0 for any free one" },
    host: { value: "<host>", summary: "the address to listen on, 127.0.0.1 by default; 0.0.0.0 for every one" },
    "allowed-host": {
      value: "<name>",
      many: true,
      summary: "answer to this name, too; .example is every name below example. Can be given more than once",
    },
    services: { summary: "every service in a process of its own" },
    cloud: { summary: "a rehearsal: built for Google Cloud, on one of this machine" },
    inspect: { summary: "let a debugger attach to the application, on 127.0.0.1:9229" },
    "inspect-brk": { summary: "the same, and wait for the debugger before the first line" },
    "inspect-port": { value: "<port>", summary: "the debugger's port, 9229 by default" },
  },
  examples: [
    { line: "fw dev", says: "http://localhost:8080" },
    { line: "fw dev --port 3000 --host 0.0.0.0", says: "reachable from other devices of the network" },
    { line: "fw dev --allowed-host my-app.tunnel.example", says: "behind a tunnel" },
    { line: "fw dev --services", says: "as it would be deployed" },
    { line: "fw dev --cloud", says: "as it would be on Google Cloud" },
    { line: "fw dev --inspect", says: "with a debugger" },
  ],
  async run(options, io) {
    const settings: DevSettings = {
      port: portOf(options.port ?? defaultPort, "port"),
      host: options.host ?? "127.0.0.1",
      allowed: options.allowedHost.map(hostName),
      services: options.services === true,
      cloud: options.cloud === true,
      inspect: inspectOf(options),
    };
    const { runDev } = await import("../dev/run.ts");
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

/** A name without scheme and port, or a refusal. */
function hostName(given: string): string {
  if (/^\.?[\w-]+(?:\.[\w-]+)*$/.test(given)) return given.toLowerCase();
  throw new Refusal(
    `"--allowed-host" is a name such as app.example, or .example for every name below it, not "${given}"`,
  );
}
