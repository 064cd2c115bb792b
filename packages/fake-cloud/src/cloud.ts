import type { Needed } from "./api.ts";
import { CloudClock } from "./clock.ts";
import { Faults } from "./faults.ts";
import { Policies } from "./iam/policies.ts";
import { Tokens } from "./identity/tokens.ts";
import { Operations } from "./operations.ts";
import type { Project } from "./project.ts";
import { Random } from "./random.ts";
import { RunServices } from "./run/services.ts";

/** What every API of the cloud stands on. */
export class Cloud {
  readonly project: Project;
  readonly clock: CloudClock;
  readonly random: Random;
  readonly tokens: Tokens;
  readonly policies: Policies;
  readonly faults: Faults;
  readonly operations: Operations;
  readonly services: RunServices;
  /** What calls asked for, in their order: which grants are needed. */
  readonly asked: ({ readonly caller: string } & Needed)[] = [];
  /** The hosts of the APIs that the project may use; undefined where it may use all. */
  readonly switchedOn: Set<string> | undefined;
  /** Of the clients of Identity Platform. */
  readonly apiKey: string = "AIzaSyFakeCloud_0123456789abcdefghijklm";

  constructor(options: CloudOptions) {
    this.project = options.project;
    if (options.newProject === true)
      this.switchedOn = new Set(["serviceusage.googleapis.com", "cloudresourcemanager.googleapis.com"]);
    this.clock = new CloudClock(options.start);
    this.random = new Random(options.seed);
    this.tokens = new Tokens(this.clock);
    this.policies = new Policies(this.clock, options.project.id);
    this.faults = new Faults(this.random);
    this.operations = new Operations(this.clock);
    this.services = new RunServices(this);
  }

  /** Where resources of a region are: `projects/p/locations/l`. */
  get place(): string {
    return `projects/${this.project.id}/locations/${this.project.region}`;
  }

  /** Whether somebody may do something; that he asked is written down. */
  may(caller: string, permission: string, resource: string): boolean {
    this.asked.push({ caller, permission, resource });
    return this.policies.allowed(caller, permission, resource);
  }

  /** Members of the cloud itself that somebody has asked for: before, there are none, and nothing can be granted to them. */
  readonly agents: Set<string> = new Set();

  /** A member of the cloud itself, as the agent of Pub/Sub is one. */
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
  /** True for a project that may use hardly any API yet. */
  readonly newProject?: boolean;
}
