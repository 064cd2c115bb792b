import { formatDuration } from "../../lib/duration.ts";
import { logEntries, logWindowMs } from "../../lib/limits.ts";
import { command, type Command } from "../command.ts";
import { readOptionalTarget, operatedOptions } from "../deploy/target.ts";

export const logs: Command = command({
  name: "logs",
  summary: "print the logs of the services",
  details: [
    `Prints the newest entries of the time window, at most ${logEntries}: time, service, severity and text on one line, and fields below. Reads the log that fw dev writes on this machine, including with --services, during and after a run. Values of secrets are redacted.`,
    "With --project, fw reads the logs of the deployed application from Cloud Logging, without Cloud Run's request logs. With --follow it polls every three seconds.",
  ],
  arguments: [
    {
      name: "service",
      takes: "optional",
      summary: "only entries of this service, by its name or the name of its deployment",
    },
  ],
  options: {
    ...operatedOptions,
    since: { value: "<duration>", summary: `the length of the time window (default ${formatDuration(logWindowMs)})` },
    follow: { short: "f", summary: "keep printing new entries" },
    json: { summary: "print one JSON object per line" },
  },
  examples: [
    { line: "fw logs", says: "print the last 15 minutes" },
    { line: "fw logs orders --since 2h", says: "print two hours of one service" },
    { line: "fw logs --follow", says: "print new entries until Ctrl-C" },
    {
      line: "fw logs orders --project acme-1 --env prod --region europe-west1",
      says: "print the logs of a deployed application",
    },
  ],
  async run(options, io, args) {
    const { printLogs } = await import("../logs/run.ts");
    return printLogs({ ...options, ...args, target: readOptionalTarget(options) }, io);
  },
});
