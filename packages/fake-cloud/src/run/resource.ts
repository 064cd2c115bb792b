import { randomUUID } from "node:crypto";
import { nameOf, shortName, query, type Call } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { masked } from "../fields.ts";
import { actAs, namedIn } from "../methods.ts";
import { Resources } from "../resources.ts";
import { checkContainers } from "./check.ts";
import type { ContainerTemplate } from "./containers.ts";

export interface Condition {
  readonly type: string;
  readonly state: "CONDITION_SUCCEEDED" | "CONDITION_FAILED" | "CONDITION_RECONCILING";
  readonly message?: string;
  readonly reason?: string;
  readonly revisionReason?: string;
}

/** A Cloud Run service or job, with its settings and its condition. */
export class RunResource<Settings extends object> {
  /** The last part of its full name. */
  readonly name: string;
  readonly fullName: string;
  readonly created: string;
  readonly uid: string = randomUUID();
  settings: Settings;
  generation = 0;
  updated: string;
  condition: Condition = { type: "Ready", state: "CONDITION_RECONCILING" };

  constructor(fullName: string, created: string, settings: Settings) {
    this.fullName = fullName;
    this.name = shortName(fullName);
    this.created = created;
    this.updated = created;
    this.settings = settings;
  }

  json(): object {
    const { fullName, uid, generation, condition } = this;
    return {
      launchStage: "GA",
      ...this.settings,
      name: fullName,
      uid,
      generation: String(generation),
      observedGeneration: String(generation),
      createTime: this.created,
      updateTime: this.updated,
      terminalCondition: condition,
      conditions: [condition],
      reconciling: condition.state === "CONDITION_RECONCILING",
      etag: this.etag,
    };
  }

  /** Changes with each update. */
  get etag(): string {
    return `"${Buffer.from(`${this.uid} ${this.generation}`).toString("base64url")}"`;
  }
}

/** The differences between services and jobs. */
interface RunKind<Settings extends object, Kept extends RunResource<Settings>> {
  readonly noun: "service" | "job";
  /** The limit of a name's length, in characters. */
  readonly longest: number;
  /** True if an update replaces everything, so that fields it omits are removed. */
  readonly isWhole: boolean;
  readonly make: (fullName: string) => Kept;
  /** The template of its containers. */
  readonly templateOf: (settings: Settings) => Template | undefined;
  /** Refuses invalid settings. */
  readonly check?: (settings: Settings, stored: Kept) => void;
  /** Applies new settings; resolves when they have taken effect. */
  readonly apply: (stored: Kept) => Promise<unknown>;
  readonly stop?: (stored: Kept) => Promise<unknown>;
}

interface Template {
  readonly serviceAccount?: string;
  readonly containers?: readonly ContainerTemplate[];
}

const host = "run.googleapis.com";

/** Fields that only Cloud Run sets. */
const outputs = new Set(
  "name uid generation createTime updateTime deleteTime expireTime creator lastModifier observedGeneration terminalCondition conditions latestReadyRevision latestCreatedRevision trafficStatuses uri urls satisfiesPzs reconciling etag client clientVersion executionCount".split(
    " ",
  ),
);

/** Services or jobs by short name. Each change is an operation that ends when it has taken effect. */
export class RunResources<Settings extends object, Kept extends RunResource<Settings>> extends Resources<Kept> {
  readonly #cloud: Cloud;
  readonly #of: RunKind<Settings, Kept>;

  constructor(cloud: Cloud, kind: RunKind<Settings, Kept>) {
    const { noun } = kind;
    super({
      methods: `run.projects.locations.${noun}s`,
      permissions: `run.${noun}s`,
      on: namedIn(host),
      policies: cloud,
      items: `${noun}s`,
      name: (call) => shortName(nameOf(call)),
      newName: (call) =>
        query(call, `${noun}Id`) ?? `${noun}-${Math.floor(cloud.random.next() * 2 ** 32).toString(36)}`,
      missing: (name) => notFound(noun, name, cloud),
      needs: (wanted) => actAs(cloud, kind.templateOf(wanted as Settings)?.serviceAccount),
      json: (stored) => stored.json(),
    });
    this.#cloud = cloud;
    this.#of = kind;
  }

  protected override create(call: Call, name: string): unknown {
    const { noun, longest, make } = this.#of;
    if (!/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(name) || name.length >= longest)
      throw invalid(
        `${noun}_id: must be less than ${longest} characters, of lower case letters, digits and hyphens, begin with a letter and end with a letter or digit; it is ${name}`,
      );
    if (this.has(name)) throw new Refusal("ALREADY_EXISTS", `Resource '${name}' already exists.`);
    return this.#apply(call, make(`${this.#cloud.place}/${noun}s/${name}`), settingsOf(call) as Settings);
  }

  protected override patch(call: Call): unknown {
    const name = shortName(nameOf(call));
    if (!this.has(name) && query(call, "allowMissing") === "true") return this.create(call, name);
    const stored = this.byName(name);
    const { etag = "" } = call.body as { etag?: string };
    if (etag !== "" && etag !== stored.etag)
      throw new Refusal(
        "ABORTED",
        `Conflict for resource '${name}': version '${etag}' was specified but current version is '${stored.etag}'.`,
      );
    const change = settingsOf(call) as Settings;
    if (this.#of.isWhole) return this.#apply(call, stored, change);
    return this.#apply(call, stored, { ...stored.settings, ...masked(change, query(call, "updateMask") ?? "") });
  }

  protected override remove(call: Call): unknown {
    const stored = this.of(call);
    this.delete(stored.name);
    this.#cloud.policies.set(`//${host}/${stored.fullName}`, {});
    return this.#operation(stored, this.#of.stop?.(stored));
  }

  #apply(call: Call, stored: Kept, settings: Settings): unknown {
    const { noun, templateOf, check, apply } = this.#of;
    checkContainers(noun === "job" ? "template.template" : "template", templateOf(settings)?.containers);
    check?.(settings, stored);
    if (query(call, "validateOnly") === "true")
      return { name: `${this.#cloud.place}/operations/validate`, done: true, response: stored.json() };
    Object.assign(stored, { settings, generation: stored.generation + 1, updated: this.#cloud.clock.timestamp() });
    this.set(stored.name, stored);
    return this.#operation(stored, apply(stored));
  }

  #operation(stored: Kept, work: Promise<unknown> | undefined): unknown {
    const type = `type.googleapis.com/google.cloud.run.v2.${this.#of.noun === "job" ? "Job" : "Service"}`;
    const response = (async () => {
      await work;
      return { "@type": type, ...stored.json() };
    })();
    return this.#cloud.operations.start(this.#cloud.place, response, () => stored.json());
  }
}

/** Returns the error for a missing resource. */
function notFound(kind: string, name: string, { project }: Cloud): Refusal {
  return new Refusal(
    "NOT_FOUND",
    `Resource '${name}' of kind '${kind.toUpperCase()}' in region '${project.region}' in project '${project.id}' does not exist.`,
  );
}

function settingsOf({ body }: Call): object {
  return Object.fromEntries(Object.entries(body as object).filter(([name]) => !outputs.has(name)));
}
