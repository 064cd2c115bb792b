import { param, query, type Call, type Method, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { badRequest, invalid, Refusal } from "../errors.ts";
import { masked } from "../fields.ts";
import { policyMethods } from "../iam/methods.ts";
import { accountResource } from "../iam/resources.ts";
import type { Operations } from "../operations.ts";
import { inPages } from "../pages.ts";
import type { Containers } from "./containers.ts";
import { checkContainers } from "./check.ts";
import { Instance, KnownAddresses } from "./instance.ts";
import { Revision, type RevisionTemplate, type RunService, type ServiceSettings } from "./service.ts";

const host = "run.googleapis.com";
const prefix = "run.projects.locations.services";

/** What Cloud Run says of a service and nobody else may. */
const outputs = new Set(
  "name uid generation createTime updateTime deleteTime expireTime creator lastModifier observedGeneration terminalCondition conditions latestReadyRevision latestCreatedRevision trafficStatuses uri urls satisfiesPzs reconciling etag client clientVersion".split(
    " ",
  ),
);

/** The methods by which services are made and changed, each change an operation that is over when the service answers. */
export class ServicesApi {
  readonly methods: Readonly<Record<string, Method>>;
  /** The organisation has every service ask who calls it. */
  requiresInvokerIam = false;
  readonly #cloud: Cloud;
  /** None where nothing is started. */
  readonly #containers: Containers | undefined;
  readonly #operations: Operations;
  /** The change of a service that is under way, after which the next one is brought about. */
  readonly #underWay = new Map<RunService, Promise<unknown>>();

  constructor(cloud: Cloud, operations: Operations, containers: Containers | undefined) {
    this.#cloud = cloud;
    this.#containers = containers;
    this.#operations = operations;
    this.methods = this.#table();
  }

  #table(): Record<string, Method> {
    const { services } = this.#cloud;
    return {
      [`${prefix}.create`]: {
        needs: (call) => [this.#need("create", param(call, "parent")), ...this.#actAs(call)],
        run: (call) => this.#create(call, query(call, "serviceId") ?? randomName(this.#cloud)),
      },
      [`${prefix}.patch`]: {
        needs: (call) => [this.#need("update", param(call, "name")), ...this.#actAs(call)],
        run: (call) => this.#patch(call),
      },
      [`${prefix}.get`]: {
        needs: (call) => [this.#need("get", param(call, "name"))],
        run: (call) => this.#found(param(call, "name")).json(),
      },
      [`${prefix}.list`]: {
        needs: (call) => [this.#need("list", param(call, "parent"))],
        run: (call) =>
          inPages(
            call,
            "services",
            services.all().map((service) => service.json()),
          ),
      },
      [`${prefix}.delete`]: {
        needs: (call) => [this.#need("delete", param(call, "name"))],
        run: (call) => this.#delete(call),
      },
      ...this.#revisionMethods(),
      ...policyMethods(this.#cloud, {
        method: prefix,
        permission: "run.services",
        resource: (call) => `//${host}/${param(call, "resource")}`,
      }),
    };
  }

  #revisionMethods(): Record<string, Method> {
    return {
      [`${prefix}.revisions.get`]: {
        needs: (call) => [{ permission: "run.revisions.get", resource: `//${host}/${param(call, "name")}` }],
        run: (call) => {
          const [service = "", name = ""] = param(call, "name").split("/revisions/");
          const found = this.#found(service).revisions.get(name);
          if (!found) throw notFound("REVISION", name, this.#cloud);
          return found.json(service);
        },
      },
      [`${prefix}.revisions.list`]: {
        needs: (call) => [{ permission: "run.revisions.list", resource: `//${host}/${param(call, "parent")}` }],
        run: (call) => {
          const service = this.#found(param(call, "parent"));
          const newest = [...service.revisions.values()].toReversed();
          return inPages(
            call,
            "revisions",
            newest.map((revision) => revision.json(service.fullName)),
          );
        },
      },
    };
  }

  #create(call: Call, name: string): unknown {
    const parent = param(call, "parent");
    if (!/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(name) || name.length >= 50)
      throw invalid(
        `service_id: must be less than 50 characters, of lower case letters, digits and hyphens, begin with a letter and end with a letter or digit; it is ${name}`,
      );
    if (this.#cloud.services.get(name)) throw new Refusal("ALREADY_EXISTS", `Resource '${name}' already exists.`);
    const settings = settingsOf(call.body);
    checkSettings(settings);
    this.#checkPolicies(settings);
    const service = this.#cloud.services.made(name);
    if (isTrial(call)) return { name: `${parent}/operations/validate`, done: true, response: service.json() };
    this.#cloud.services.add(service);
    return this.#apply(service, settings);
  }

  #checkPolicies({ invokerIamDisabled }: ServiceSettings): void {
    if (!this.requiresInvokerIam || invokerIamDisabled !== true) return;
    throw new Refusal(
      "FAILED_PRECONDITION",
      "One or more organization policies are violated: constraints/run.managed.requireInvokerIam forbids a service without the IAM check of its callers.",
    );
  }

  #patch(call: Call): unknown {
    const name = param(call, "name");
    const service = this.#cloud.services.get(name.split("/").at(-1) ?? "");
    if (!service && query(call, "allowMissing") === "true")
      return this.#create(
        { ...call, params: { parent: name.replace(/\/services\/.*$/, "") } },
        name.split("/").at(-1) ?? "",
      );
    const found = service ?? this.#found(name);
    const { etag } = call.body as { etag?: string };
    if (etag && etag !== found.etag)
      throw new Refusal(
        "ABORTED",
        `Conflict for resource '${found.name}': version '${etag}' was specified but current version is '${found.etag}'.`,
      );
    const settings = { ...found.settings, ...masked(settingsOf(call.body), query(call, "updateMask") ?? "") };
    checkSettings(settings);
    this.#checkPolicies(settings);
    if (isTrial(call)) return { name: `${name}/operations/validate`, done: true, response: found.json() };
    return this.#apply(found, settings);
  }

  #delete(call: Call): unknown {
    const service = this.#found(param(call, "name"));
    this.#cloud.services.remove(service.name);
    this.#cloud.policies.set(this.#cloud.services.resource(service.name), {});
    const stopped = Promise.all([...service.revisions.values()].map(({ backend }) => backend.stop()));
    return this.#operations.start(
      this.#place(),
      () => service.json(),
      stopped.then(() => service.json()),
    );
  }

  /** Writes what is wanted, makes a revision where the template is another one, and brings traffic there when it answers. */
  #apply(service: RunService, settings: ServiceSettings): unknown {
    const revision = this.#change(service, settings);
    service.condition = { type: "Ready", state: "CONDITION_RECONCILING" };
    const before = this.#underWay.get(service);
    const work = (async () => {
      await before?.catch(() => {});
      try {
        await revision?.ready();
        if (revision !== undefined && revision === service.latestCreated) service.latestReady = revision;
        service.route();
        service.condition = { type: "Ready", state: "CONDITION_SUCCEEDED" };
      } catch (error) {
        service.condition = revision?.condition.state === "CONDITION_FAILED" ? revision.condition : failed(error);
        throw error;
      }
      return { "@type": "type.googleapis.com/google.cloud.run.v2.Service", ...(service.json() as object) };
    })();
    this.#underWay.set(service, work);
    return this.#operations.start(this.#place(), () => service.json(), work);
  }

  #change(service: RunService, settings: ServiceSettings): Revision | undefined {
    const known = service.revisionOf(settings.template ?? {});
    service.settings = settings;
    service.generation += 1;
    service.updated = this.#cloud.clock.timestamp();
    if (known) return undefined;
    const revision = this.#revision(service, settings.template ?? {});
    service.revisions.set(revision.name, revision);
    service.latestCreated = revision;
    return revision;
  }

  #revision(service: RunService, template: RevisionTemplate): Revision {
    const { project, clock } = this.#cloud;
    const name =
      template.revision ?? `${service.name}-${String(service.generation).padStart(5, "0")}-${this.#suffix()}`;
    const labels = {
      project_id: project.id,
      location: project.region,
      service_name: service.name,
      revision_name: name,
      configuration_name: service.name,
    };
    const spec = {
      template: template.containers?.[0] ?? {},
      account: template.serviceAccount ?? `${project.number}-compute@developer.gserviceaccount.com`,
      env: { K_SERVICE: service.name, K_REVISION: name, K_CONFIGURATION: service.name },
      resource: { type: "cloud_run_revision", labels },
    };
    const backend = this.#containers ? new Instance(this.#cloud, this.#containers, spec) : new KnownAddresses([]);
    return new Revision(name, template, backend, clock.timestamp());
  }

  /** Three letters, as Cloud Run gives them. */
  #suffix(): string {
    return Array.from({ length: 3 }, () =>
      "bcdfghjklmnpqrstvwxz".charAt(Math.floor(this.#cloud.random.next() * 20)),
    ).join("");
  }

  #found(name: string): RunService {
    const service = this.#cloud.services.get(name.split("/").at(-1) ?? "");
    if (!service) throw notFound("SERVICE", name.split("/").at(-1) ?? "", this.#cloud);
    return service;
  }

  #need(verb: string, resource: string): Needed {
    return { permission: `run.services.${verb}`, resource: `//${host}/${resource}` };
  }

  /** Whoever has a service run as an account has to be allowed to act as it. */
  #actAs(call: Call): Needed[] {
    const { template } = call.body as ServiceSettings;
    if (!template?.serviceAccount) return [];
    return [
      { permission: "iam.serviceAccounts.actAs", resource: accountResource(this.#cloud, template.serviceAccount) },
    ];
  }

  #place(): string {
    const { id, region } = this.#cloud.project;
    return `projects/${id}/locations/${region}`;
  }
}

/** A resource of Cloud Run that is not there. */
export function notFound(kind: string, name: string, { project }: Cloud): Refusal {
  return new Refusal(
    "NOT_FOUND",
    `Resource '${name}' of kind '${kind}' in region '${project.region}' in project '${project.id}' does not exist.`,
  );
}

/** Whether a call only asks whether it would be carried out. */
export function isTrial(call: Call): boolean {
  return query(call, "validateOnly") === "true";
}

function settingsOf(body: unknown): ServiceSettings {
  return Object.fromEntries(Object.entries(body as object).filter(([name]) => !outputs.has(name)));
}

function checkSettings({ template, traffic = [] }: ServiceSettings): void {
  checkContainers("template", template?.containers);
  const sum = traffic.reduce((all, { percent = 0 }) => all + percent, 0);
  if (traffic.length > 0 && sum !== 100)
    throw badRequest([{ field: "traffic", description: `Traffic targets sum to ${sum}, want 100` }]);
}

function failed(error: unknown): RunService["condition"] {
  return { type: "Ready", state: "CONDITION_FAILED", message: (error as Error).message };
}

function randomName({ random }: Cloud): string {
  return `service-${Math.floor(random.next() * 2 ** 32).toString(36)}`;
}
