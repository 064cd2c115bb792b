import { formatDuration } from "../../lib/duration.ts";
import { logEntries, logWindowMs } from "../../lib/limits.ts";
import { command, type Command } from "../command.ts";
import { givenTarget, operatedOptions } from "../deploy/target.ts";

/** `fw logs`. */
export const logs: Command = command({
  name: "logs",
  summary: "print what the services logged",
  details: [
    `Prints the newest entries of the window, ${logEntries} at most: time, service, severity and text on one line, and the fields below it. Reads the log that fw dev keeps on this machine, with --services too, while it runs and after it. Values of secrets are not in it.`,
    "With --project it reads what Cloud Logging has of the deployed application, but for the line that Cloud Run writes of each request; what comes in is looked for every three seconds.",
  ],
  arguments: [
    { name: "service", takes: "optional", summary: "only this service's, by its name or by that of its deployment" },
  ],
  options: {
    ...operatedOptions,
    since: { value: "<duration>", summary: `how far back, ${formatDuration(logWindowMs)} by default` },
    follow: { short: "f", summary: "go on with what is logged from now on" },
    json: { summary: "print a JSON object a line" },
  },
  examples: [
    { line: "fw logs", says: "of the last 15 minutes" },
    { line: "fw logs orders --since 2h", says: "of one service" },
    { line: "fw logs --follow", says: "until Ctrl-C" },
    { line: "fw logs orders --project acme-1 --env prod --region europe-west1", says: "of a deployed application" },
  ],
  async run(options, io, args) {
    const { printLogs } = await import("../logs/run.ts");
    return printLogs({ ...options, ...args, target: givenTarget(options) }, io);
  },
});
