import type { Need } from "./api.ts";
import { CloudClock } from "./clock.ts";
import { Faults } from "./faults.ts";
import { Policies } from "./iam/policies.ts";
import { Tokens } from "./identity/tokens.ts";
import { Operations } from "./operations.ts";
import type { Project } from "./project.ts";
import { Random } from "./random.ts";

/** The state and services that all APIs share. */
export class Cloud {
  readonly project: Project;
  readonly clock: CloudClock;
  readonly random: Random;
  readonly tokens: Tokens;
  readonly policies: Policies;
  readonly faults: Faults;
  readonly operations: Operations;
  /** The permission checks of all calls in order; they show which grants are needed. */
  readonly accessChecks: ({ readonly caller: string } & Need)[] = [];
  /** The hosts of the enabled APIs; undefined if all are enabled. */
  readonly switchedOn: Set<string> | undefined;
  /** Hosts of APIs that are enabled but still answer SERVICE_DISABLED. */
  readonly spreading: Set<string> = new Set();
  /** The durations of changes to the project, in milliseconds. */
  readonly delays: Delays = { enable: 200, spread: 0, agent: 200, account: 0 };
  /** The web API key for clients of Identity Platform. */
  readonly apiKey: string = "AIzaSyFakeCloud_0123456789abcdefghijklm";

  constructor(options: CloudOptions) {
    this.project = options.project;
    const { newProject = false } = options;
    if (newProject !== false) this.switchedOn = new Set(newProject === "console" ? consoleApis : requiredApis);
    this.clock = new CloudClock(options.start);
    this.random = new Random(options.seed);
    this.tokens = new Tokens(this.clock);
    this.policies = new Policies(this.clock, options.project.id);
    this.faults = new Faults(this.random);
    this.operations = new Operations(this.clock);
  }

  /** The parent of regional resources: `projects/p/locations/l`. */
  get place(): string {
    return `projects/${this.project.id}/locations/${this.project.region}`;
  }

  /** True if the caller has a permission on a resource. Records the check. */
  may(caller: string, permission: string, resource: string): boolean {
    this.accessChecks.push({ caller, permission, resource });
    return this.policies.isAllowed(caller, permission, resource);
  }

  /**
   * The existing service agents. Google creates each one when it is needed, and policies cannot name it before that
   * (cloud.google.com/iam/docs/create-service-agents).
   */
  readonly agents: Set<string> = new Set();
  /** Service accounts that were just created, so that policies cannot name them yet. */
  readonly newAccounts: Set<string> = new Set();

  /** Returns the email address of the project's service agent for a Google service. */
  agent(service: "gcp-sa-pubsub" | "gs-project-accounts" | "gcp-sa-cloudtasks" | "gcp-sa-cloudscheduler"): string {
    return `service-${this.project.number}@${service}.iam.gserviceaccount.com`;
  }
}

export interface CloudOptions {
  readonly project: Project;
  /** The seed of the faults; equal seeds give equal faults. */
  readonly seed: number;
  /** If set, the clock is manual and starts at this time. */
  readonly start?: number;
  readonly newProject?: boolean | "console";
}

/** The durations of changes to the project, in milliseconds. */
interface Delays {
  /** The time from a call of `enable` to the end of its operation. */
  enable: number;
  /** The time from the end of the `enable` operation until the API stops answering SERVICE_DISABLED. */
  spread: number;
  /** Duration of the operation that creates a service agent. */
  agent: number;
  /** The time from the creation of a service account until policies may name it. */
  account: number;
}

/** The APIs that are needed to enable other APIs. */
const requiredApis = ["serviceusage.googleapis.com", "cloudresourcemanager.googleapis.com"];

/**
 * The fake's APIs that are enabled in projects that the console or gcloud creates:
 * cloud.google.com/service-usage/docs/enabled-service, "APIs enabled by default".
 */
const consoleApis = [
  ...requiredApis,
  "datastore.googleapis.com",
  "logging.googleapis.com",
  "monitoring.googleapis.com",
  "storage.googleapis.com",
];
