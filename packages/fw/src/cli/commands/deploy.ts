import { command, type Command } from "../command.ts";
import { domainsOption, readPlace, readTarget, targetOptions, verboseOption } from "../deploy/target.ts";

export const deployCommands: readonly Command[] = [
  command({
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
      "self-check": { summary: "deploy a small application of fw's own, exercise it, destroy it, and write a report" },
      ...verboseOption,
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
    async run(options, io) {
      if (options.selfCheck) {
        const { runSelfCheck } = await import("../deploy/self-check/run.ts");
        return runSelfCheck({ ...readPlace(options), yes: options.yes }, io);
      }
      const settings = { ...options, ...readTarget(options, io) };
      if (options.rollback) return (await import("../deploy/rollback.ts")).runRollback(settings, io);
      return (await import("../deploy/run.ts")).runDeploy(settings, io);
    },
  }),
  command({
    name: "status",
    summary: "compare what is deployed with what the application declares",
    details: [
      "Says what somebody has changed in the project, what is not deployed yet, and what is no longer declared. It is the plan that a deploy would carry out, and writes nothing. Ends with 1 where anything differs.",
    ],
    options: { ...targetOptions, ...domainsOption, ...verboseOption, json: { summary: "print one JSON object" } },
    examples: [{ line: "fw status --project acme-1 --env prod --region europe-west1", says: "what differs" }],
    async run(options, io) {
      const { runStatus } = await import("../deploy/status.ts");
      return runStatus({ ...options, ...readTarget(options, io) }, io);
    },
  }),
  command({
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
      ...verboseOption,
      json: { summary: "print one JSON object" },
    },
    examples: [
      {
        line: "fw destroy --project acme-1 --env pr-123 --region europe-west1 --data --confirm shop-pr-123",
        says: "a preview",
      },
    ],
    async run(options, io) {
      const { runDestroy } = await import("../deploy/destroy.ts");
      return runDestroy({ ...options, ...readTarget(options, io) }, io);
    },
  }),
];
