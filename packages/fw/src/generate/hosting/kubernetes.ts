import type { HostingNeeds } from "./needs.ts";
import { containerPort, serveCommand, stopSeconds } from "./serve-command.ts";
import { yamlOf, type Yaml } from "./yaml.ts";

export interface KubernetesSettings {
  readonly image: string;
  /** The address of the bucket for objects (`s3://…`), if the application has buckets. */
  readonly objects: string | undefined;
  /** Ports of other servers that pods may connect to. */
  readonly egress: readonly number[];
}

/** A Deployment of pods that run `fw serve`. */
export interface Workload {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly Yaml[];
  /** In mebibytes. */
  readonly memory: number;
  readonly cpu: number;
  readonly serviceAccount?: string;
}

/** The id of the user `node` in Node's images. */
const user = 1000;

/** Private networks, one of which contains the ingress controller. */
export const privateNetworks: readonly string[] = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"];

/** Ports that are always open: PostgreSQL, and HTTPS for object stores, sign-in providers and requests of the code. */
const outgoingPorts = [443, 5432];

export function kubernetesResources(needs: HostingNeeds, settings: KubernetesSettings): readonly Yaml[] {
  const { name, domains } = needs;
  const labels = labelsOf(name);
  const ports = [...outgoingPorts, ...portOf(settings.objects), ...settings.egress];
  const resources = [
    resource("v1", "Service", name, labels, service(labels)),
    resource("apps/v1", "Deployment", name, labels, deployment(workload(needs, settings), labels)),
    resource("autoscaling/v2", "HorizontalPodAutoscaler", name, labels, autoscaler(name, needs.machines)),
    resource("policy/v1", "PodDisruptionBudget", name, labels, { minAvailable: 1, selector: { matchLabels: labels } }),
    resource(
      "networking.k8s.io/v1",
      "NetworkPolicy",
      name,
      labels,
      networkPolicy({ name, callees: [], callers: undefined, ports }),
    ),
  ];
  return domains.length === 0
    ? resources
    : [...resources, resource("networking.k8s.io/v1", "Ingress", name, labels, ingress(needs))];
}

/** Returns the resources as one file for `kubectl apply`. */
export function kubernetesFile(needs: HostingNeeds, settings: KubernetesSettings): string {
  const { name, services, hasBuckets } = needs;
  const keys = allKeys(needs).map((key) => `--from-literal=${key}=...`);
  const head = [
    `# Made by fw gen kubernetes for ${name}. See fw docs self-hosting. Make its secret first:`,
    `#   kubectl create secret generic ${name} ${keys.join(" ")}`,
    "# There is no job: the first pod makes and changes tables, and fills new indexes before it is ready.",
    `# Each pod runs all services (${services.join(", ")}). They call each other inside the pod, so pods accept`,
    `# nothing but port ${containerPort}.`,
    ...(hasBuckets ? [] : ["# The application has no buckets, so it needs no object store."]),
  ];
  return [head.join("\n"), ...kubernetesResources(needs, settings).map((each) => yamlOf(each))].join("\n---\n");
}

export function labelsOf(name: string): Yaml {
  return { "app.kubernetes.io/name": name };
}

export function resource(apiVersion: string, kind: string, name: string, labels: Yaml, spec: Yaml): Yaml {
  return { apiVersion, kind, metadata: { name, labels }, spec };
}

/** Returns the keys in the application's Secret, except the address of the database. */
export function secretKeys({ secrets, hasBuckets }: Pick<HostingNeeds, "secrets" | "hasBuckets">): readonly string[] {
  return [...(hasBuckets ? ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] : []), ...secrets];
}

/** Returns the keys in the Secret of an application whose pods run all services. */
function allKeys(needs: HostingNeeds): readonly string[] {
  return ["FW_DATABASE", ...secretKeys(needs)];
}

export function secretVariable(secret: string, key: string): Yaml {
  return { name: key, valueFrom: { secretKeyRef: { name: secret, key } } };
}

/** Returns the variables with keys of the application's Secret, and with the address of objects. */
export function environment(
  { name, hasBuckets }: Pick<HostingNeeds, "name" | "hasBuckets">,
  keys: readonly string[],
  objects: string | undefined,
): readonly Yaml[] {
  return [
    ...keys.map((key) => secretVariable(name, key)),
    ...(hasBuckets && objects !== undefined ? [{ name: "FW_OBJECTS", value: objects }] : []),
  ];
}

export function service(labels: Yaml): Yaml {
  return { selector: labels, ports: [{ name: "http", port: 80, targetPort: "http" }] };
}

function workload(needs: HostingNeeds, { image, objects }: KubernetesSettings): Workload {
  const { memory, cpu } = needs;
  return {
    image,
    command: serveCommand(privateNetworks),
    env: environment(needs, allKeys(needs), objects),
    memory,
    cpu,
  };
}

export function deployment(
  workload: Workload,
  labels: Yaml,
  podLabels: Yaml = labels,
): { readonly [name: string]: Yaml } {
  return {
    selector: { matchLabels: labels },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: {
      metadata: { labels: podLabels },
      spec: podSpec(workload, {
        pod: {
          terminationGracePeriodSeconds: stopSeconds,
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: labels },
            },
          ],
        },
        container: {
          ports: [{ name: "http", containerPort }],
          // Allows an hour, because the first pod of a version fills new indexes before it is ready.
          startupProbe: probe("ready", { periodSeconds: 5, failureThreshold: 720 }),
          readinessProbe: probe("ready", { periodSeconds: 2, failureThreshold: 2 }),
          livenessProbe: probe("live", { periodSeconds: 10, failureThreshold: 6 }),
        },
      }),
    },
  };
}

interface PodParts {
  /** Additional members of the pod and of its container. */
  readonly pod: { readonly [name: string]: Yaml };
  readonly container?: { readonly [name: string]: Yaml };
  /** Additional volumes, each with the directory where the container reads it. */
  readonly volumes?: readonly { readonly mountPath: string; readonly volume: { readonly [name: string]: Yaml } }[];
}

/** Returns a pod without privileges, which writes only to its own temporary volumes. */
export function podSpec(
  { image, command, env, memory, cpu, serviceAccount }: Workload,
  { pod, container = {}, volumes = [] }: PodParts,
): { readonly [name: string]: Yaml } {
  return {
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...pod,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      fsGroup: user,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: "app",
        image,
        command,
        env,
        resources: {
          requests: { cpu: `${Math.round(cpu * 250)}m`, memory: `${memory}Mi` },
          limits: { memory: `${memory}Mi` },
        },
        ...container,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [
          { name: "data", mountPath: "/data" },
          { name: "tmp", mountPath: "/tmp" },
          ...volumes.map(({ mountPath }) => ({ name: mountPath.slice(1), mountPath, readOnly: true })),
        ],
      },
    ],
    volumes: [
      { name: "data", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
      ...volumes.map(({ mountPath, volume }) => ({ name: mountPath.slice(1), ...volume })),
    ],
  };
}

function probe(path: "ready" | "live", times: { readonly [name: string]: number }): Yaml {
  return { httpGet: { path: `/_fw/z/${path}`, port: "http" }, timeoutSeconds: 3, ...times };
}

export function autoscaler(name: string, { least, most }: HostingNeeds["machines"]): Yaml {
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: least,
    maxReplicas: most,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } }],
  };
}

/** The connections that pods with a name may have, in addition to those to the name server. */
export interface Connections {
  readonly name: string;
  readonly callees: readonly string[];
  /** The names of the pods that connect to them; undefined for all clients. */
  readonly callers: readonly string[] | undefined;
  /** The ports of other servers that they connect to. */
  readonly ports: readonly number[];
}

export function networkPolicy({ name, callees, callers, ports }: Connections): Yaml {
  const peers = (names: readonly string[]): Yaml =>
    names.map((each) => ({ podSelector: { matchLabels: labelsOf(each) } }));
  const own = [{ protocol: "TCP", port: containerPort }];
  const outgoing = [53, ...[...new Set(ports)].toSorted((a, b) => a - b)];
  return {
    podSelector: { matchLabels: labelsOf(name) },
    policyTypes: ["Ingress", "Egress"],
    ingress:
      callers === undefined ? [{ ports: own }] : callers.length === 0 ? [] : [{ from: peers(callers), ports: own }],
    egress: [
      { ports: [{ protocol: "UDP", port: 53 }, ...outgoing.map((port) => ({ protocol: "TCP", port }))] },
      ...(callees.length > 0 ? [{ to: peers(callees), ports: own }] : []),
    ],
  };
}

/** Returns the object store's port, if the address of the bucket contains one. */
export function portOf(objects: string | undefined): readonly number[] {
  const endpoint =
    objects !== undefined && URL.canParse(objects) ? new URL(objects).searchParams.get("endpoint") : null;
  if (endpoint === null || !URL.canParse(endpoint)) return [];
  const { port, protocol } = new URL(endpoint);
  return [port === "" ? (protocol === "http:" ? 80 : 443) : Number(port)];
}

export function ingress({ name, domains }: Pick<HostingNeeds, "name" | "domains">): Yaml {
  const backend = { service: { name, port: { name: "http" } } };
  return {
    tls: [{ hosts: domains, secretName: `${name}-tls` }],
    rules: domains.map((host) => ({ host, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } })),
  };
}
