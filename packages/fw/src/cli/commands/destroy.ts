import type { Command, ExitCode, OptionValues } from "../command.ts";
import { readTarget, targetOptions } from "../deploy/target.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** `fw destroy`. */
export const destroy: Command = {
  name: "destroy",
  summary: "remove an application from an environment of a project",
  details: [
    "Services, their accounts and grants, what brings them messages, alerts. What keeps data stays, so that a deploy finds it again: --data removes databases, buckets, queues and topics, too. The name of the application and environment is typed, or given with --confirm.",
  ],
  options: {
    ...targetOptions,
    data: { summary: "remove also documents, objects and messages, for good" },
    confirm: { value: "<name>", summary: "what would be typed: <application>-<environment>" },
    "dry-run": { summary: "print what would be removed, and write nothing" },
    json: { summary: "print one JSON object" },
  },
  examples: [
    {
      line: "fw destroy --project acme-1 --env pr-123 --region europe-west1 --data --confirm shop-pr-123",
      says: "a preview",
    },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const { runDestroy } = await import("../deploy/destroy.ts");
    const settings = {
      ...readTarget(options, io),
      data: options.data === true,
      confirm: textOption(options, "confirm"),
      dryRun: options["dry-run"] === true,
      json: options.json === true,
    };
    return runDestroy(settings, io);
  },
};
