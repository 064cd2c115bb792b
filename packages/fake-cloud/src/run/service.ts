import { shortName } from "../api.ts";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { Refusal } from "../errors.ts";
import { NotReady, type ContainerTemplate } from "./containers.ts";
import type { Backend } from "./instance.ts";
import { RunResource, type Condition } from "./resource.ts";

/** The service settings that the fake uses. */
export interface ServiceSettings {
  readonly invokerIamDisabled?: boolean;
  readonly scaling?: { readonly minInstanceCount?: number };
  readonly template?: RevisionTemplate;
  readonly traffic?: readonly TrafficTarget[];
}

export interface RevisionTemplate {
  readonly revision?: string;
  readonly serviceAccount?: string;
  readonly scaling?: { readonly minInstanceCount?: number };
  readonly containers?: readonly ContainerTemplate[];
}

interface TrafficTarget {
  readonly type?: string;
  readonly revision?: string;
  readonly percent?: number;
  readonly tag?: string;
}

const latest = "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST";

/** An immutable version of a service. */
export class Revision {
  readonly name: string;
  readonly template: RevisionTemplate;
  readonly backend: Backend;
  readonly created: string;
  readonly uid: string = randomUUID();
  condition: Condition = { type: "Ready", state: "CONDITION_RECONCILING" };

  constructor(name: string, template: RevisionTemplate, backend: Backend, created: string) {
    this.name = name;
    this.template = template;
    this.backend = backend;
    this.created = created;
  }

  /** Rejects with Google's message if it does not start to respond. */
  async ready(): Promise<void> {
    try {
      await this.backend.ready();
      this.condition = { type: "Ready", state: "CONDITION_SUCCEEDED" };
    } catch (error) {
      if (!(error instanceof NotReady)) throw error;
      const message = `Revision '${this.name}' is not ready and cannot serve traffic. ${error.message}`;
      const reason =
        error.reason === "HEALTH_CHECK_CONTAINER_ERROR" ? { revisionReason: error.reason } : { reason: error.reason };
      this.condition = { type: "Ready", state: "CONDITION_FAILED", message, ...reason };
      throw new Refusal("FAILED_PRECONDITION", message);
    }
  }

  json(service: string): unknown {
    const { revision: _, ...template } = this.template;
    return {
      name: `${service}/revisions/${this.name}`,
      uid: this.uid,
      service: shortName(service),
      createTime: this.created,
      ...template,
      conditions: [this.condition],
      reconciling: this.condition.state === "CONDITION_RECONCILING",
    };
  }
}

/** A Cloud Run service: its settings and its revisions. */
export class RunService extends RunResource<ServiceSettings> {
  readonly uri: string;
  readonly revisions: Map<string, Revision> = new Map();
  latestCreated: Revision | undefined;
  latestReady: Revision | undefined;
  /** The traffic split in effect. */
  serving: readonly (TrafficTarget & { readonly to: Revision })[] = [];
  #turn = 0;

  constructor(fullName: string, created: string, uri: string) {
    super(fullName, created, {});
    this.uri = uri;
  }

  /** Returns the revision for the next request; for a tag, the tagged revision. */
  next(tag?: string): Revision | undefined {
    if (tag !== undefined) return this.serving.find((target) => target.tag === tag)?.to;
    // Produces each number below a hundred once, in mixed order.
    this.#turn = (this.#turn + 37) % 100;
    let share = this.#turn;
    return this.serving.find(({ percent = 0 }) => (share -= percent) < 0)?.to;
  }

  /** Returns the revision of a template; undefined if it must be created. Refuses the name of a different revision. */
  revisionOf({ revision: name, ...template }: RevisionTemplate): Revision | undefined {
    const existing = name === undefined ? this.latestCreated : this.revisions.get(name);
    const { revision: _, ...own } = existing?.template ?? {};
    if (existing && isDeepStrictEqual(own, template)) return existing;
    if (existing && name !== undefined)
      throw new Refusal("ALREADY_EXISTS", `Revision named '${name}' with different configuration already exists.`);
    return undefined;
  }

  /** Applies the traffic settings; a new service starts with its latest revision. */
  route(): void {
    this.serving = this.#wanted().map((target) => {
      const to = target.revision ? this.revisions.get(target.revision) : this.latestReady;
      if (to && to.condition.state === "CONDITION_SUCCEEDED") return { ...target, to };
      throw new Refusal(
        "FAILED_PRECONDITION",
        `Revision '${target.revision ?? ""}' of the traffic is not there, or not ready.`,
      );
    });
    for (const revision of this.revisions.values()) {
      const isServed = this.serving.some(({ to }) => to === revision);
      if (isServed) revision.backend.keep(this.#least(revision) > 0);
      else if (revision !== this.latestReady && revision.condition.state !== "CONDITION_RECONCILING")
        void revision.backend.stop();
      else revision.backend.keep(false);
    }
  }

  #least({ template }: Revision): number {
    return this.settings.scaling?.minInstanceCount ?? template.scaling?.minInstanceCount ?? 0;
  }

  override json(): object {
    const { latestCreated, latestReady, condition, fullName } = this;
    return {
      ingress: "INGRESS_TRAFFIC_ALL",
      ...super.json(),
      traffic: this.#wanted(),
      trafficStatuses: this.serving.map(({ to, tag, percent, type }) => ({
        type,
        revision: to.name,
        percent,
        ...(tag !== undefined && { tag, uri: this.uri.replace("//", `//${tag}---`) }),
      })),
      ...(latestCreated && { latestCreatedRevision: `${fullName}/revisions/${latestCreated.name}` }),
      ...(latestReady && { latestReadyRevision: `${fullName}/revisions/${latestReady.name}` }),
      conditions: ["RoutesReady", "ConfigurationsReady"].map((type) => ({ ...condition, type })),
      uri: this.uri,
      urls: [this.uri],
    };
  }

  #wanted(): readonly TrafficTarget[] {
    return this.settings.traffic?.length ? this.settings.traffic : [{ type: latest, percent: 100 }];
  }
}
