import { hash } from "node:crypto";
import { dnsLabel } from "../../lib/dns-label.ts";
import type { HostedService } from "./hosted-services.ts";
import {
  autoscaler,
  deployment,
  environment,
  ingress,
  labelsOf,
  networkPolicy,
  podSpec,
  portOf,
  privateNetworks,
  resource,
  secretKeys,
  secretVariable,
  service,
  type Connections,
  type KubernetesSettings,
  type Workload,
} from "./kubernetes.ts";
import { providerVariables, serverMemory, type HostingNeeds } from "./needs.ts";
import { migrateCommand, rolesDirectory, serveCommand } from "./serve-command.ts";
import { yamlOf, type Yaml } from "./yaml.ts";

export interface KubernetesServicesSettings extends Omit<KubernetesSettings, "egress"> {
  /** Ports of other servers that pods may connect to, for one service or for all. */
  readonly egress: readonly { readonly service: string | undefined; readonly port: number }[];
  /** Returns the database role of the server of a service, or of the front. */
  readonly roleOf: (service: string | undefined) => string;
}

interface Pods extends Connections {
  readonly workload: Workload;
  /** Undefined for pods that do not scale. */
  readonly machines: HostingNeeds["machines"] | undefined;
}

const front: Pick<HostedService, "memory" | "cpu"> = { memory: serverMemory + 64, cpu: 1 };

const postgresPort = 5432;

/** The maximum length of a DNS label. */
const labelCharacters = 63;

/**
 * Returns the resources of an application whose services each have their own pods. `needs` describes the whole
 * application. Throws a sentence about names that are too long, or that clash as DNS labels.
 */
function kubernetesServiceResources(
  needs: HostingNeeds,
  services: readonly HostedService[],
  settings: KubernetesServicesSettings,
): readonly Yaml[] {
  const { name, domains } = needs;
  const pods = [frontPods(needs, services, settings), ...services.map((each) => servicePods(needs, each, settings))];
  checkNames(pods);
  const resources = [
    ...migrationResources(needs, services, settings),
    ...pods.flatMap((each) => resourcesOf(each, name)),
  ];
  return domains.length === 0
    ? resources
    : [...resources, resource("networking.k8s.io/v1", "Ingress", name, labelsOf(name), ingress(needs))];
}

/** Returns the resources as one file for `kubectl apply`. */
export function kubernetesServicesFile(
  needs: HostingNeeds,
  services: readonly HostedService[],
  settings: KubernetesServicesSettings,
): string {
  const { name } = needs;
  const pods = [name, ...services.map((each) => podName(name, each.name))];
  const keys = secretKeys(needs).map((key) => `--from-literal=${key}=...`);
  const head = [
    `# Made by fw gen kubernetes --services for ${name}. See fw docs self-hosting. Make its secrets first. The role of`,
    "# the first one owns the tables, and only the job has it; the job makes a role for each of the other servers:",
    `#   kubectl create secret generic ${ownerSecret(name)} --from-literal=FW_DATABASE='postgres://owner:...@db/${name}'`,
    ...pods.map(
      (pod) =>
        `#   kubectl create secret generic ${databaseSecret(pod)} --from-literal=FW_DATABASE="postgres://{role}:$(openssl rand -hex 32)@db/${name}?connections=3"`,
    ),
    ...(keys.length === 0 ? [] : [`#   kubectl create secret generic ${name} ${keys.join(" ")}`]),
    "# The job makes tables, fills new indexes, and sets the passwords of the roles. Pods wait for it, so the order of the",
    "# resources does not matter. Its name follows from the image: give each build another tag.",
    `# Each service has its own pods. Those of ${name} forward the requests of clients to them. The network plugin of`,
    "# the cluster must enforce NetworkPolicies.",
    "# With ?connections=3, each pod opens four connections to PostgreSQL; without it, eleven.",
  ];
  const resources = kubernetesServiceResources(needs, services, settings);
  return [head.join("\n"), ...resources.map((each) => yamlOf(each))].join("\n---\n");
}

function frontPods(
  needs: HostingNeeds,
  services: readonly HostedService[],
  { image, egress }: KubernetesServicesSettings,
): Pods {
  const { name, hasSocial, machines } = needs;
  const keys = hasSocial ? providerVariables : [];
  const env = [...podEnvironment(name, { name, hasBuckets: false }, keys, undefined), addressVariable(name)];
  const open = egress.filter(({ service }) => service === undefined).map(({ port }) => port);
  return {
    name,
    workload: { ...front, image, command: serveCommand(privateNetworks, ["--front"]), env },
    machines,
    callees: services.filter(({ isForClients }) => isForClients).map((each) => podName(name, each.name)),
    callers: undefined,
    ports: [postgresPort, ...(hasSocial ? [443] : []), ...open],
  };
}

function servicePods(
  needs: HostingNeeds,
  { name, secrets, hasBuckets, memory, cpu, machines, callees, callers, isForClients }: HostedService,
  { image, objects, egress }: KubernetesServicesSettings,
): Pods {
  const { name: app } = needs;
  const podsOf = (names: readonly string[]): readonly string[] => names.map((each) => podName(app, each));
  const env = [
    ...podEnvironment(podName(app, name), { name: app, hasBuckets }, secretKeys({ secrets, hasBuckets }), objects),
    roleVariable(podName(app, name)),
    ...(callees.length > 0 ? [addressVariable(app)] : []),
  ];
  const open = egress.filter(({ service }) => service === undefined || service === name).map(({ port }) => port);
  return {
    name: podName(app, name),
    workload: { image, command: serveCommand([], ["--service", name]), env, memory, cpu },
    machines,
    callees: podsOf(callees),
    callers: [...(isForClients ? [app] : []), ...podsOf(callers)],
    ports: [...dataPorts(hasBuckets, objects), ...open],
  };
}

/** Returns the job that prepares the database, with its account and its NetworkPolicy. */
function migrationResources(
  needs: HostingNeeds,
  services: readonly HostedService[],
  settings: KubernetesServicesSettings,
): readonly Yaml[] {
  // The name of a service never results in two hyphens, so this name is unique.
  const job = `${needs.name}--migrate`;
  const labels: Yaml = { "app.kubernetes.io/name": job, "app.kubernetes.io/part-of": needs.name };
  const template: Yaml = { metadata: { labels }, spec: migrationPod(job, needs, services, settings) };
  // A job's template is immutable, so a changed template needs another name.
  const id = hash("sha256", JSON.stringify(template)).slice(0, 8);
  return [
    serviceAccount(job, labels),
    resource("networking.k8s.io/v1", "NetworkPolicy", job, labels, networkPolicy({ ...closed, name: job })),
    resource("batch/v1", "Job", `${job}-${id}`, labels, {
      backoffLimit: 10,
      ttlSecondsAfterFinished: finishedSeconds,
      template,
    }),
  ];
}

/** Returns the job's pod. It reads the addresses of all servers, because it sets their passwords. */
function migrationPod(
  job: string,
  { name }: HostingNeeds,
  services: readonly HostedService[],
  { image, roleOf }: KubernetesServicesSettings,
): Yaml {
  const servers = [
    { pod: name, role: roleOf(undefined) },
    ...services.map((each) => ({ pod: podName(name, each.name), role: roleOf(each.name) })),
  ];
  const sources = servers.map(({ pod, role }) => ({
    secret: { name: databaseSecret(pod), items: [{ key: "FW_DATABASE", path: role }] },
  }));
  const env = [secretVariable(ownerSecret(name), "FW_DATABASE")];
  return podSpec(
    { ...front, image, command: migrateCommand, env, serviceAccount: job },
    {
      pod: { restartPolicy: "OnFailure" },
      volumes: [{ mountPath: rolesDirectory, volume: { projected: { sources } } }],
    },
  );
}

/** Pods that only connect to the database. */
const closed: Omit<Pods, "name" | "workload"> = {
  machines: undefined,
  callees: [],
  callers: [],
  ports: [postgresPort],
};

/** Seconds after which a finished job is deleted. */
const finishedSeconds = 86_400;

/** Returns the name of the Secret with the address of the role that owns the tables. */
function ownerSecret(app: string): string {
  return `${app}-owner`;
}

/** Returns the name of the Secret with the address at which a pod's server connects as its own role. */
function databaseSecret(pod: string): string {
  return `${pod}-database`;
}

function podEnvironment(
  pod: string,
  needs: Pick<HostingNeeds, "name" | "hasBuckets">,
  keys: readonly string[],
  objects: string | undefined,
): readonly Yaml[] {
  return [secretVariable(databaseSecret(pod), "FW_DATABASE"), ...environment(needs, keys, objects)];
}

/** Returns the name of a service's pods, which is also the host at which other pods reach them. */
function podName(app: string, service: string): string {
  return `${app}-${dnsLabel(service)}`;
}

/**
 * Returns the variable with the address at which a service connects as its own database role. Each service has its own
 * Secret, so that its pods lack the passwords of other services' roles.
 */
function roleVariable(secret: string): Yaml {
  const name = "FW_SERVICE_DATABASE";
  return { name, valueFrom: { secretKeyRef: { name: secret, key: name, optional: true } } };
}

/** Configures the hosts that `podName` returns. */
function addressVariable(app: string): Yaml {
  return { name: "FW_SERVICE_ADDRESS", value: `http://${app}-{service}` };
}

function checkNames(pods: readonly Pods[]): void {
  const names = pods.map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    if (name.length > labelCharacters) throw new Error(`the name ${name} has more than ${labelCharacters} characters`);
    if (names.indexOf(name) < i) throw new Error(`two services would both have the name ${name}`);
  }
}

function dataPorts(hasBuckets: boolean, objects: string | undefined): readonly number[] {
  const [storePort = 443] = portOf(objects);
  return hasBuckets ? [postgresPort, storePort] : [postgresPort];
}

function resourcesOf(pods: Pods, app: string): readonly Yaml[] {
  const { name, workload, machines, callers } = pods;
  const own = labelsOf(name);
  const labels: Yaml = { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": app };
  const replicas = machines === undefined ? { replicas: 1 } : {};
  return [
    serviceAccount(name, labels),
    // Services without callers have no address.
    ...(callers?.length === 0 ? [] : [resource("v1", "Service", name, labels, service(own))]),
    resource("apps/v1", "Deployment", name, labels, {
      ...replicas,
      ...deployment({ ...workload, serviceAccount: name }, own, labels),
    }),
    ...(machines === undefined
      ? []
      : [resource("autoscaling/v2", "HorizontalPodAutoscaler", name, labels, autoscaler(name, machines))]),
    resource("policy/v1", "PodDisruptionBudget", name, labels, { maxUnavailable: 1, selector: { matchLabels: own } }),
    resource("networking.k8s.io/v1", "NetworkPolicy", name, labels, networkPolicy(pods)),
  ];
}

/** Returns an account without a token. */
function serviceAccount(name: string, labels: Yaml): Yaml {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, labels }, automountServiceAccountToken: false };
}
