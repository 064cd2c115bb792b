import type { Command, ExitCode, OptionValues } from "../command.ts";
import { domainsOption } from "../deploy/domains-option.ts";
import { readTarget, targetOptions } from "../deploy/target.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** `fw deploy`. */
export const deploy: Command = {
  name: "deploy",
  summary: "bring a project of Google Cloud to what the application declares, and run it there",
  details: [
    "First everything that could stand in the way is looked at, and told together. Then the services are built, and a plan says what is to be made, changed and removed, what of it costs, cannot be undone, or stops meanwhile. Nothing is written before it is confirmed. There is no state to lose: the project itself is compared, and a deploy that was interrupted goes on where it ended.",
    "New revisions get their traffic together when all of them are ready. What is no longer declared is removed, but for what keeps data: that takes --prune-data and the name of the application and environment, typed or given with --confirm. Secrets are looked for, never written.",
    "Credentials are the application default credentials of Google's tools. The project, the environment and the region are always said.",
  ],
  options: {
    ...targetOptions,
    "dry-run": { summary: "print the plan, and write nothing" },
    yes: { summary: "carry the plan out without asking, but for what destroys" },
    confirm: { value: "<name>", summary: "what would be typed to destroy: <application>-<environment>" },
    "prune-data": { summary: "remove also what keeps data and is no longer declared" },
    adopt: { summary: "take over resources of the same names that fw did not make" },
    ...domainsOption,
    rollback: { summary: "send requests to the revisions from before the last deploy" },
    json: { summary: "print one JSON object" },
  },
  examples: [
    { line: "fw deploy --project acme-1 --env prod --region europe-west1 --dry-run", says: "what would be done" },
    { line: "fw deploy --project acme-1 --env prod --region europe-west1 --yes", says: "in a CI" },
    {
      line: "fw deploy --project acme-1 --env prod --region europe-west1 --rollback",
      says: "back to the revisions before",
    },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const settings = {
      ...readTarget(options, io),
      dryRun: options["dry-run"] === true,
      json: options.json === true,
      yes: options.yes === true,
      adopt: options.adopt === true,
      pruneData: options["prune-data"] === true,
      confirm: textOption(options, "confirm"),
      withoutDomains: options["without-domains"] === true,
    };
    if (options.rollback === true) return (await import("../deploy/rollback.ts")).runRollback(settings, io);
    return (await import("../deploy/run.ts")).runDeploy(settings, io);
  },
};
