import type { Command, ExitCode, OptionValues } from "../command.ts";
import { domainsOption } from "../deploy/domains-option.ts";
import { readTarget, targetOptions } from "../deploy/target.ts";
import type { IO } from "../io.ts";

/** `fw status`. */
export const status: Command = {
  name: "status",
  summary: "compare what is deployed with what the application declares",
  details: [
    "Says what somebody has changed in the project, what is not deployed yet, and what is no longer declared. It is the plan that a deploy would carry out, and writes nothing. Ends with 1 where anything differs.",
  ],
  options: { ...targetOptions, ...domainsOption, json: { summary: "print one JSON object" } },
  examples: [{ line: "fw status --project acme-1 --env prod --region europe-west1", says: "what differs" }],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const { runStatus } = await import("../deploy/status.ts");
    return runStatus(
      { ...readTarget(options, io), json: options.json === true, withoutDomains: options["without-domains"] === true },
      io,
    );
  },
};
