import type { App } from "../../model/app.ts";
import { calleesOf, callersOf, grantsOf } from "../../model/grants.ts";
import { laptopUses } from "../../model/framework-uses.ts";
import { pinsOfService, scalingOf } from "../../model/scaling.ts";
import { clientServicesOf, servicesOf, signInService, type Service } from "../../model/services.ts";
import type { EntryUses } from "../../model/uses.ts";
import { mostMachines, providerVariables, serverMemory, type HostingNeeds } from "./needs.ts";

/** The requirements of a service with its own machines. */
export interface HostedService {
  readonly name: string;
  /** The variables of the secrets that it needs. */
  readonly secrets: readonly string[];
  readonly hasBuckets: boolean;
  /** The memory of one machine in mebibytes. */
  readonly memory: number;
  readonly cpu: number;
  /** The number of machines; undefined if it does not scale. */
  readonly machines: HostingNeeds["machines"] | undefined;
  readonly callees: readonly string[];
  readonly callers: readonly string[];
  /** True if the front forwards client requests to it. */
  readonly isForClients: boolean;
}

interface HostedApp {
  readonly app: App;
  readonly uses: readonly EntryUses[];
  readonly secretsOf: (service: string) => readonly string[];
}

/** Returns the services of an application with the requirements of their machines. */
export function hostedServices({ app, uses, secretsOf }: HostedApp, { hasSocial }: HostingNeeds): HostedService[] {
  const services = servicesOf(app);
  const forClients = clientServicesOf(app);
  const signIn = hasSocial ? signInService(app)?.name : undefined;
  return services.map((service) => {
    const { name } = service;
    const { cpu, memory } = scalingOf(service).footprint;
    return {
      name,
      hasBuckets: [...grantsOf(service, uses), ...laptopUses(app, service, uses)].some(({ kind }) => kind === "bucket"),
      secrets: [...(name === signIn ? providerVariables : []), ...secretsOf(name)],
      memory: serverMemory + memory,
      cpu,
      machines: machinesOf(service),
      callees: [...calleesOf(grantsOf(service, uses))].filter((callee) => callee !== name).toSorted(),
      callers: callersOf(service, services, uses).filter((caller) => caller !== name),
      isForClients: forClients.includes(name),
    };
  });
}

/**
 * Returns the minimum and maximum number of machines; undefined if the service does not scale. An app service has at
 * least two, unless `maxInstances` is 1, so that one may stop.
 */
function machinesOf(service: Service): HostingNeeds["machines"] | undefined {
  const { traffic } = scalingOf(service);
  if (traffic === undefined) return undefined;
  const most = pinsOfService(service).maxInstances;
  const wanted = Math.max(service.kind === "app" ? 2 : 1, traffic.minInstances);
  const least = Math.min(wanted, most ?? wanted);
  return { least, most: Math.max(least, most ?? mostMachines) };
}
