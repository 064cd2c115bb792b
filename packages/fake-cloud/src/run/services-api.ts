import { nameOf, shortName, type Api } from "../api.ts";
import type { ServingCloud } from "../serving-cloud.ts";
import { badRequest, Refusal } from "../errors.ts";
import { inPages } from "../pages.ts";
import type { Containers } from "./containers.ts";
import { Instance, KnownAddresses } from "./instance.ts";
import { RunResources } from "./resource.ts";
import { Revision, type RevisionTemplate, type RunService, type ServiceSettings } from "./service.ts";

/** The methods for services. Each change is an operation that ends when the service responds. */
export class ServicesApi {
  readonly methods: Api["methods"];
  /** True if the organization requires every service to check its callers. */
  requiresInvokerIam = false;
  readonly #cloud: ServingCloud;
  /** Undefined if no processes are started. */
  readonly #containers: Containers | undefined;
  /** The change in progress of each service; the next change waits for it. */
  readonly #underWay = new Map<RunService, Promise<unknown>>();

  constructor(cloud: ServingCloud, containers: Containers | undefined) {
    this.#cloud = cloud;
    this.#containers = containers;
    const services = new RunResources<ServiceSettings, RunService>(cloud, {
      noun: "service",
      longest: 50,
      isWhole: false,
      make: (fullName) => cloud.services.create(fullName),
      templateOf: ({ template }) => template,
      check: (settings, service) => this.#check(settings, service),
      apply: (service) => this.#apply(service),
      stop: ({ revisions }) => Promise.all([...revisions.values()].map(({ backend }) => backend.stop())),
    });
    cloud.services.kept = services;
    this.methods = {
      ...services.methods(),
      "run.projects.locations.services.revisions.list": {
        needs: (call) => [
          { permission: "run.revisions.list", resource: cloud.services.resource(shortName(nameOf(call))) },
        ],
        run: (call) => {
          const { fullName, revisions } = services.of(call);
          return inPages(call, { revisions: [...revisions.values()].toReversed().map((one) => one.json(fullName)) });
        },
      },
    };
  }

  #check({ template, traffic = [], invokerIamDisabled }: ServiceSettings, service: RunService): void {
    const sum = traffic.reduce((all, { percent = 0 }) => all + percent, 0);
    if (traffic.length > 0 && sum !== 100)
      throw badRequest([{ field: "traffic", description: `Traffic targets sum to ${sum}, want 100` }]);
    if (this.requiresInvokerIam && invokerIamDisabled === true)
      throw new Refusal(
        "FAILED_PRECONDITION",
        "One or more organization policies are violated: constraints/run.managed.requireInvokerIam forbids a service without the IAM check of its callers.",
      );
    service.revisionOf(template ?? {});
  }

  /** Creates a revision if the template changed. Once it responds, applies the traffic settings. */
  #apply(service: RunService): Promise<unknown> {
    const revision = this.#newRevision(service);
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
    })();
    this.#underWay.set(service, work);
    return work;
  }

  #newRevision(service: RunService): Revision | undefined {
    const { template = {} } = service.settings;
    if (service.revisionOf(template)) return undefined;
    const revision = this.#revision(service, template);
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

  /** Returns three random letters, as in Cloud Run's names. */
  #suffix(): string {
    return Array.from({ length: 3 }, () =>
      "bcdfghjklmnpqrstvwxz".charAt(Math.floor(this.#cloud.random.next() * 20)),
    ).join("");
  }
}

function failed(error: unknown): RunService["condition"] {
  return { type: "Ready", state: "CONDITION_FAILED", message: (error as Error).message };
}
