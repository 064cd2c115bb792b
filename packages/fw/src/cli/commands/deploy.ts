import { command, Refusal, type Command } from "../command.ts";
import { dataOption } from "../data/options.ts";
import { domainsOption, outputOptions, readTargetOptions, readTarget, targetOptions } from "../deploy/target.ts";

export const deployCommands: readonly Command[] = [
  command({
    name: "deploy",
    summary: "deploy the application to Google Cloud",
    details: [
      "First fw checks everything that could block the deploy, and reports all blockers at once. Then it builds the services and prints a plan: what it will create, update and remove, what costs money, what cannot be undone, and what causes downtime. It changes nothing before you confirm. There is no state file to lose: fw compares with the project itself, and an interrupted deploy resumes where it stopped.",
      "fw switches traffic to the new revisions together, once all of them are ready. It removes what is no longer declared, except for data: to remove that, pass --prune-data and the name of the application and environment, typed or with --confirm. fw checks that secrets exist, and never writes them.",
      "fw uses the access token in CLOUDSDK_AUTH_ACCESS_TOKEN, else the application default credentials of Google's tools. You always name the project, the environment and the region.",
    ],
    options: {
      ...targetOptions,
      "dry-run": { summary: "print the plan and change nothing" },
      yes: { summary: "apply the plan without asking, unless it destroys something" },
      confirm: { value: "<name>", summary: "confirm destruction without typing: <application>-<environment>" },
      "prune-data": { summary: "also remove data that is no longer declared" },
      adopt: { summary: "take over resources with the same names that fw did not create" },
      "accept-data-changes": {
        summary: "proceed although the deployed version and the new one cannot read all of each other's data",
      },
      ...domainsOption,
      rollback: { summary: "switch traffic back to the revisions before the last deploy" },
      "self-check": { summary: "deploy a small test application of fw, exercise it, destroy it, and write a report" },
      ...outputOptions,
    },
    examples: [
      {
        line: "fw deploy --project acme-1 --env prod --region europe-west1 --dry-run",
        says: "show what a deploy would change",
      },
      { line: "fw deploy --project acme-1 --env prod --region europe-west1 --yes", says: "deploy in a CI pipeline" },
      {
        line: "fw deploy --project acme-1 --env prod --region europe-west1 --rollback",
        says: "go back to the previous revisions",
      },
    ],
    async run(options, io) {
      if (options.selfCheck) {
        const { runSelfCheck } = await import("../deploy/self-check/run.ts");
        return runSelfCheck({ ...readTargetOptions(options), yes: options.yes }, io);
      }
      const settings = { ...options, ...readTarget(options, io) };
      if (options.rollback) return (await import("../deploy/rollback.ts")).runRollback(settings, io);
      return (await import("../deploy/run.ts")).runDeploy(settings, io);
    },
  }),
  command({
    name: "status",
    summary: "compare the deployed application with its declarations",
    details: [
      "Shows what was changed in the project by hand, what is not deployed yet, and what is no longer declared: the plan that a deploy would apply. Changes nothing. Exits with 1 if anything differs, or if a resource is open to everyone.",
      "Without a project, it asks the server that runs on this machine's data for its progress with older data: indexes that are being filled, documents that rules rewrite, and messages that wait for code that accepts them.",
    ],
    options: {
      ...targetOptions,
      data: dataOption,
      ...domainsOption,
      ...outputOptions,
    },
    examples: [
      { line: "fw status --project acme-1 --env prod --region europe-west1", says: "show what differs" },
      { line: "fw status --data /var/lib/notes", says: "show the progress of an upgrade" },
    ],
    async run(options, io) {
      if (options.project === undefined && options.env === undefined && options.region === undefined)
        return (await import("../data/status.ts")).runLocalStatus(options, io);
      if (options.data !== undefined)
        throw new Refusal("use either --data (a directory on this machine) or --project (a deployed application)");
      const { runStatus } = await import("../deploy/status.ts");
      return runStatus({ ...options, ...readTarget(options, io) }, io);
    },
  }),
  command({
    name: "destroy",
    summary: "remove an application from an environment",
    details: [
      "Removes services, their accounts and grants, push subscriptions, schedules and alerts. Keeps data, so that a later deploy finds it again; --data also removes databases, buckets, queues and topics. You confirm with the name of the application and environment, typed or with --confirm.",
    ],
    options: {
      ...targetOptions,
      data: { summary: "also delete documents, objects and messages; this cannot be undone" },
      confirm: { value: "<name>", summary: "confirm without typing: <application>-<environment>" },
      "dry-run": { summary: "print what would be removed and change nothing" },
      ...outputOptions,
    },
    examples: [
      {
        line: "fw destroy --project acme-1 --env pr-123 --region europe-west1 --data --confirm shop-pr-123",
        says: "remove a preview environment",
      },
    ],
    async run(options, io) {
      const { runDestroy } = await import("../deploy/destroy.ts");
      return runDestroy({ ...options, ...readTarget(options, io) }, io);
    },
  }),
];
