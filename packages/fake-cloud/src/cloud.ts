import type { Needed } from "./api.ts";
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
  readonly accessChecks: ({ readonly caller: string } & Needed)[] = [];
  /** The hosts of the APIs that the project may use; undefined where it may use all. */
  readonly switchedOn: Set<string> | undefined;
  /** Hosts of APIs that are enabled and still answer SERVICE_DISABLED. */
  readonly spreading: Set<string> = new Set();
  /** How long changes to the project take, in milliseconds. */
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

  /** Checks a permission and records the check. */
  may(caller: string, permission: string, resource: string): boolean {
    this.accessChecks.push({ caller, permission, resource });
    return this.policies.isAllowed(caller, permission, resource);
  }

  /**
   * Service agents that exist. cloud.google.com/iam/docs/create-service-agents: Google creates them as they are needed,
   * and a role cannot be granted to one before.
   */
  readonly agents: Set<string> = new Set();
  /** Service accounts that were created a moment ago: policies may not name them yet. */
  readonly newAccounts: Set<string> = new Set();

  /** The address of Google's own service agent. */
  agent(service: "gcp-sa-pubsub" | "gs-project-accounts" | "gcp-sa-cloudtasks" | "gcp-sa-cloudscheduler"): string {
    return `service-${this.project.number}@${service}.iam.gserviceaccount.com`;
  }
}

export interface CloudOptions {
  readonly project: Project;
  /** The same seed, the same accidents. */
  readonly seed: number;
  /** With it the time stands still until it is moved. */
  readonly start?: number;
  readonly newProject?: boolean | "console";
}

/** Milliseconds that changes to the project take. */
interface Delays {
  /** From a call of `enable` to the end of its operation. */
  enable: number;
  /** From there until the API stops answering SERVICE_DISABLED. */
  spread: number;
  /** Duration of the operation that creates a service agent. */
  agent: number;
  /** From the creation of a service account until policies may name it. */
  account: number;
}

/** The APIs by which others are enabled. */
const requiredApis = ["serviceusage.googleapis.com", "cloudresourcemanager.googleapis.com"];

/**
 * cloud.google.com/service-usage/docs/enabled-service, "APIs enabled by default" for projects that the console or
 * gcloud creates, as far as the fake has them.
 */
const consoleApis = [
  ...requiredApis,
  "datastore.googleapis.com",
  "logging.googleapis.com",
  "monitoring.googleapis.com",
  "storage.googleapis.com",
];
