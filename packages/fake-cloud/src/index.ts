import type { Server } from "node:http";
import { iam, projects } from "./admin/admin.ts";
import { billing } from "./admin/billing.ts";
import type { Api, Exchange } from "./api.ts";
import { artifactRegistry } from "./artifactregistry/artifactregistry.ts";
import { ServingCloud } from "./serving-cloud.ts";
import type { CloudClock } from "./clock.ts";
import { CloudScheduler } from "./cloudscheduler/cloudscheduler.ts";
import { CloudTasks } from "./cloudtasks/cloudtasks.ts";
import { startResolver } from "./dns/server.ts";
import { Zone } from "./dns/zone.ts";
import { routesByHost } from "./discovery/routes.ts";
import { Datastore } from "./datastore/datastore.ts";
import { followPlan, type FaultPlan } from "./fault-plan.ts";
import type { Faults } from "./faults.ts";
import { Firestore } from "./firestore/firestore.ts";
import type { Binding } from "./iam/policies.ts";
import { credentials } from "./identity/credentials.ts";
import { keySets } from "./identity/key-sets.ts";
import { IdentityPlatform } from "./identitytoolkit/identitytoolkit.ts";
import { metadataServer } from "./identity/metadata.ts";
import type { Project } from "./project.ts";
import { Logging } from "./logging/logging.ts";
import { ImageRegistry } from "./registry/registry.ts";
import { Monitoring } from "./monitoring/monitoring.ts";
import { PubSub } from "./pubsub/pubsub.ts";
import { Containers } from "./run/containers.ts";
import { DomainMappings } from "./run/domains.ts";
import { RunJobs, type RunJob } from "./run/jobs.ts";
import { ServicesApi } from "./run/services-api.ts";
import { run } from "./run/run-api.ts";
import { SecretManager } from "./secretmanager/secretmanager.ts";
import { serviceUsage } from "./serviceusage/serviceusage.ts";
import { close, CloudServer, listen } from "./server.ts";
import { Storage } from "./storage/storage.ts";

export type { FaultPlan } from "./fault-plan.ts";
export type { Fault, FaultRule } from "./faults.ts";
export type { RunTask } from "./run/execution.ts";
export type { RunJob } from "./run/jobs.ts";
export type { Project } from "./project.ts";

export interface FakeCloudOptions {
  readonly project?: Partial<Project>;
  /** The seed of the faults; equal seeds give equal faults. */
  readonly seed?: number;
  /** Milliseconds since 1970: starts a manual clock that only `clock.advance` moves. */
  readonly start?: number;
  /**
   * True for a project with only the APIs that are needed to enable others; `console` for one with Google's defaults.
   */
  readonly newProject?: boolean | "console";
  /**
   * The address of Google's Firestore emulator in Datastore mode (`http://127.0.0.1:8090`), to store the entities
   * there.
   */
  readonly datastore?: string;
  /** False to start no processes; services are then ready, and tasks done, without an image. */
  readonly containers?: boolean;
}

/** A running fake cloud. */
export interface FakeCloud {
  readonly project: Project;
  /** The URL that serves all of Google's hosts. */
  readonly url: string;
  readonly clock: CloudClock;
  readonly faults: Faults;
  /** Keys, tokens and policies, for tests that inspect internals. */
  readonly cloud: ServingCloud;
  readonly apis: Apis;
  /** The environment that points a process to the cloud instead of Google, without an identity. */
  readonly env: Readonly<Record<string, string>>;
  /** Returns the environment of a process that runs as a service account. */
  envOf(serviceAccount: string): Promise<Readonly<Record<string, string>>>;
  /** Registers a Cloud Run service whose instances already listen on local ports, without an image. */
  run(service: RunningService): void;
  /** Registers a Cloud Run job whose tasks a test runs. */
  runJob(job: RunJob): void;
  /** Grants a role on a resource (`//pubsub.googleapis.com/projects/p/topics/t`), or on the project. */
  grant(member: string, role: string, resource?: string, condition?: Binding["condition"]): void;
  /** Starts injecting faults, in real time. */
  follow(plan: FaultPlan): void;
  /** Returns an access token of an account, for tests that call an API directly. */
  token(email: string): string;
  stop(): Promise<void>;
}

export interface RunningService {
  readonly name: string;
  readonly serviceAccount: string;
  readonly url: string | readonly string[];
  readonly public: boolean;
}

/** Starts a cloud on free ports. */
export async function startFakeCloud(options: FakeCloudOptions = {}): Promise<FakeCloud> {
  const project = { id: "demo-fw", number: "123456789012", region: "europe-west1", ...options.project };
  const cloud = new ServingCloud({
    project,
    seed: options.seed ?? 1,
    ...(options.start !== undefined && { start: options.start }),
    ...(options.newProject !== undefined && { newProject: options.newProject }),
  });
  const plans: { end(): void }[] = [];
  const instances = new Set<Server>();
  const apis = new Apis(cloud, {
    emulator: options.datastore,
    identity: (email) => identity(email),
    starts: options.containers ?? true,
  });
  const server = new CloudServer(cloud, apis.all, otherHosts(cloud, apis));
  const main = await listen((request, response) => server.answer(request, response));
  const url = `http://127.0.0.1:${main.port}`;
  const resolver = await startResolver(apis.zone);
  const env = environment(url, resolver.address);
  const identities = new Map<string, ReturnType<typeof identity>>();
  let numbered = 0;
  const identity = async (email: string): Promise<Identity> => {
    const instance = String(++numbered).padStart(16, "0");
    const { server: own, port } = await listen(metadataServer(email, project, cloud.tokens, instance));
    instances.add(own);
    return {
      env: { ...env, GCE_METADATA_HOST: `127.0.0.1:${port}` },
      close: async () => {
        if (instances.delete(own)) await close(own);
      },
    };
  };

  return {
    project,
    url,
    clock: cloud.clock,
    faults: cloud.faults,
    cloud,
    apis,
    env,
    envOf: async (email) => {
      const own = identities.get(email) ?? identity(email);
      identities.set(email, own);
      return (await own).env;
    },
    runJob: (job) => apis.jobs.set(job),
    run: ({ url, ...service }) => cloud.services.set({ ...service, urls: typeof url === "string" ? [url] : url }),
    grant: (member, role, resource, condition) =>
      cloud.policies.grant(
        member,
        role,
        resource ?? `//cloudresourcemanager.googleapis.com/projects/${project.id}`,
        condition,
      ),
    follow: (plan) => void plans.push(followPlan(cloud, plan)),
    token: (email) => cloud.tokens.access(email).token,
    stop: async () => {
      for (const plan of plans) plan.end();
      cloud.clock.stop();
      await apis.containers.close();
      await Promise.all([resolver.close(), ...[main.server, ...instances].map((listener) => close(listener))]);
    },
  };
}

/** The metadata server of an instance. */
interface Identity {
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

interface ApiOptions {
  /** The URL of Google's Datastore emulator; undefined for the fake's own store. */
  readonly emulator: string | undefined;
  readonly identity: (email: string) => Promise<Identity>;
  /** True if images are started. */
  readonly starts: boolean;
}

/** All APIs of the cloud. Tests can access the APIs with a store. */
class Apis {
  readonly datastore: Datastore;
  readonly firestore: Firestore;
  readonly pubsub: PubSub;
  readonly storage: Storage;
  readonly tasks: CloudTasks;
  readonly scheduler: CloudScheduler;
  readonly jobs: RunJobs;
  readonly zone: Zone = new Zone();
  /** True if the project has billing. */
  readonly billing: { enabled: boolean } = { enabled: true };
  /** Cloud Run services, and the organization's restrictions on them. */
  readonly services: ServicesApi;
  /** Domain mappings of services. */
  readonly domains: DomainMappings;
  /** The processes of services and tasks, started from images. */
  readonly containers: Containers;
  readonly secrets: SecretManager;
  readonly monitoring: Monitoring;
  readonly logging: Logging;
  readonly registry: ImageRegistry;
  /** User accounts, mails sent to users, and their accounts at other providers. */
  readonly people: IdentityPlatform;
  readonly all: readonly Api[];

  constructor(cloud: ServingCloud, { emulator, identity, starts }: ApiOptions) {
    this.datastore = new Datastore(cloud, emulator);
    this.firestore = new Firestore(cloud);
    this.pubsub = new PubSub(cloud);
    this.storage = new Storage(cloud, this.pubsub);
    this.tasks = new CloudTasks(cloud);
    this.scheduler = new CloudScheduler(cloud);
    this.secrets = new SecretManager(cloud);
    this.monitoring = new Monitoring(cloud);
    this.logging = new Logging(cloud);
    const images = artifactRegistry(cloud);
    this.registry = new ImageRegistry(cloud, images.repositories);
    const { registry } = this;
    const containers = new Containers({ cloud, registry, secrets: this.secrets, logging: this.logging, identity });
    this.containers = containers;
    this.jobs = new RunJobs(cloud, starts ? containers : undefined);
    this.domains = new DomainMappings(cloud, this.zone);
    this.services = new ServicesApi(cloud, starts ? containers : undefined);
    this.people = new IdentityPlatform(cloud);
    const { datastore, firestore, pubsub, storage, tasks, scheduler, secrets, monitoring, logging, people } = this;
    const stores = [datastore, firestore, pubsub, storage, tasks, scheduler, secrets, monitoring, logging, people];
    this.all = [
      ...stores.map(({ api }) => api),
      run(cloud, [this.services, this.jobs, this.domains]),
      credentials(cloud),
      iam(cloud),
      projects(cloud),
      billing(cloud, this.billing),
      serviceUsage(cloud),
      images.api,
    ];
  }
}

/** Returns a handler for requests that belong to no API. It resolves to false if it cannot handle a request. */
function otherHosts(cloud: ServingCloud, { registry }: Apis): (exchange: Exchange) => Promise<boolean> {
  return async (exchange) =>
    (await keySets(cloud, exchange)) || (await registry.answer(exchange)) || (await cloud.services.pass(exchange));
}

const hosts = ["*.googleapis.com", "*.google.com", "*.run.app", "*.pkg.dev", "gcr.io"];

/** Returns all variables that redirect Google's tools and fw. */
function environment(url: string, resolver: string): Record<string, string> {
  const overrides = [...routesByHost.keys()].map((host) => [
    `CLOUDSDK_API_ENDPOINT_OVERRIDES_${host.replace(/\.googleapis\.com$/, "").toUpperCase()}`,
    `${url}/${host}/`,
  ]);
  return {
    ...(Object.fromEntries(overrides) as Record<string, string>),
    FW_CLOUD_HOSTS: JSON.stringify(Object.fromEntries(hosts.map((host) => [host, url]))),
    FW_DNS_SERVERS: resolver,
    // Stops Google's libraries from looking for a metadata server.
    METADATA_SERVER_DETECTION: "none",
  };
}
