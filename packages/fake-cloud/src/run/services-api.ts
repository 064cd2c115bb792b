import { param, query, type Api, type Call, type Needed } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { badRequest, invalid, Refusal } from "../errors.ts";
import { masked } from "../fields.ts";
import { policyMethods } from "../iam/methods.ts";
import { actAs, methodsOf, namedIn, nameOf, shortName, type ResourceKind } from "../methods.ts";
import type { Operations } from "../operations.ts";
import { inPages } from "../pages.ts";
import type { Containers } from "./containers.ts";
import { checkContainers, checkEtag } from "./check.ts";
import { Instance, KnownAddresses } from "./instance.ts";
import { Revision, type RevisionTemplate, type RunService, type ServiceSettings } from "./service.ts";

const host = "run.googleapis.com";

/** What Cloud Run says of a service and nobody else may. */
const outputs = new Set(
  "name uid generation createTime updateTime deleteTime expireTime creator lastModifier observedGeneration terminalCondition conditions latestReadyRevision latestCreatedRevision trafficStatuses uri urls satisfiesPzs reconciling etag client clientVersion".split(
    " ",
  ),
);

/** The methods by which services are made and changed, each change an operation that is over when the service answers. */
export class ServicesApi {
  readonly methods: Api["methods"];
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

  #table(): Api["methods"] {
    const { services } = this.#cloud;
    const on = namedIn(host);
    const kind: ResourceKind = { methods: "run.projects.locations.services", permissions: "run.services", on };
    const revisions: ResourceKind = { methods: `${kind.methods}.revisions`, permissions: "run.revisions", on };
    const actAsService = (call: Call): Needed[] =>
      actAs(this.#cloud, (call.body as ServiceSettings).template?.serviceAccount);
    return {
      ...methodsOf(kind, {
        create: {
          needs: actAsService,
          run: (call) => this.#create(call, query(call, "serviceId") ?? randomName(this.#cloud)),
        },
        patch: { needs: actAsService, run: (call) => this.#patch(call) },
        get: (call) => this.#found(nameOf(call)).json(),
        list: (call) => inPages(call, { services: services.all().map((service) => service.json()) }),
        delete: (call) => this.#delete(call),
      }),
      ...methodsOf(revisions, {
        get: (call) => {
          const [service = "", name = ""] = nameOf(call).split("/revisions/");
          const found = this.#found(service).revisions.get(name);
          if (!found) throw notFound("REVISION", name, this.#cloud);
          return found.json(service);
        },
        list: (call) => {
          const service = this.#found(nameOf(call));
          const newest = [...service.revisions.values()].toReversed();
          return inPages(call, { revisions: newest.map((revision) => revision.json(service.fullName)) });
        },
      }),
      ...policyMethods(this.#cloud, kind),
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
    const name = nameOf(call);
    const service = this.#cloud.services.get(shortName(name));
    if (!service && query(call, "allowMissing") === "true")
      return this.#create({ ...call, params: { parent: name.replace(/\/services\/.*$/, "") } }, shortName(name));
    const found = service ?? this.#found(name);
    checkEtag(call, found.name, found.etag);
    const settings = { ...found.settings, ...masked(settingsOf(call.body), query(call, "updateMask") ?? "") };
    checkSettings(settings);
    this.#checkPolicies(settings);
    if (isTrial(call)) return { name: `${name}/operations/validate`, done: true, response: found.json() };
    return this.#apply(found, settings);
  }

  #delete(call: Call): unknown {
    const service = this.#found(nameOf(call));
    this.#cloud.services.remove(service.name);
    this.#cloud.policies.set(this.#cloud.services.resource(service.name), {});
    const stopped = Promise.all([...service.revisions.values()].map(({ backend }) => backend.stop()));
    return this.#operations.start(
      this.#cloud.place,
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
    return this.#operations.start(this.#cloud.place, () => service.json(), work);
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
    const service = this.#cloud.services.get(shortName(name));
    if (!service) throw notFound("SERVICE", shortName(name), this.#cloud);
    return service;
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
