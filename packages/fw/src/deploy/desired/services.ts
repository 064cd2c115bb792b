import type { ManifestService } from "../../build/manifest.ts";
import { locationEnvironment } from "../../platform/gcp/cloud-location.ts";
import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import { placeholders } from "../placeholders.ts";
import { keyOf, type Resource } from "../resource.ts";
import {
  accountId,
  domainId,
  inPackage,
  isDeliveredTo,
  isPublic,
  isService,
  ownedResource,
  pusherOf,
  regionOf,
  seconds,
  serviceId,
  sharedResource,
  type ResourceInputs,
} from "./resource-inputs.ts";

/** Returns the service accounts, the images, the services with their traffic and domains, and the jobs. */
export function serviceResources(inputs: ResourceInputs): readonly Resource[] {
  const { manifest } = inputs;
  return manifest.services.flatMap((service) =>
    inPackage(service, [
      ...accounts(inputs, service),
      ...imageOf(inputs, service),
      ...(isService(service) ? runService(inputs, service) : [runJob(inputs, service)]),
    ]),
  );
}

/** Returns the image of a service, which services with the same content share; empty without a reference. */
function imageOf({ images }: ResourceInputs, { name }: ManifestService): readonly Resource[] {
  const reference = images[name];
  return reference === undefined ? [] : [sharedResource("image", reference, `image of ${name}`, {})];
}

function accounts(inputs: ResourceInputs, service: ManifestService): readonly Resource[] {
  const { place } = inputs;
  const account = (email: string, title: string): Resource =>
    ownedResource("service-account", accountId(place, email), title, {
      displayName: title.slice(0, 100),
      description: `${names.markOf(place)} ${service.name}`,
      disabled: false,
    });
  const own = account(names.serviceAccountEmail(place, service.name), `account of ${service.name}`);
  if (!isDeliveredTo(service)) return [own];
  return [own, account(pusherOf(inputs, service).email, `account that delivers messages to ${service.name}`)];
}

function runService(inputs: ResourceInputs, service: ManifestService): readonly Resource[] {
  const { place } = inputs;
  const id = serviceId(place, service.name);
  const account = accountId(place, names.serviceAccountEmail(place, service.name));
  const run = ownedResource("service", id, `service ${service.name}`, serviceSpec(inputs, service), [
    keyOf({ kind: "service-account", id: account }),
  ]);
  return [
    run,
    sharedResource("traffic", id, `traffic of ${service.name}`, { serving: "latest" }, [keyOf(run)]),
    ...domainOf(inputs, service, run),
  ];
}

function serviceSpec(inputs: ResourceInputs, service: ManifestService): Resource["spec"] {
  const { place } = inputs;
  const { kind, traffic } = service;
  const alone = kind === "singleton";
  const maxInstanceCount = alone ? 1 : (traffic?.maxInstances ?? 100);
  return {
    labels: names.labelsOf(place),
    ingress: "INGRESS_TRAFFIC_ALL",
    // Disables Cloud Run's invoker check; the service authenticates callers itself.
    invokerIamDisabled: isPublic(service),
    defaultUriDisabled: false,
    scaling: { minInstanceCount: alone ? 1 : (traffic?.minInstances ?? 0), maxInstanceCount },
    template: {
      // A revision has its own limits, and the lower one applies.
      scaling: { minInstanceCount: 0, maxInstanceCount },
      serviceAccount: names.serviceAccountEmail(place, service.name),
      ...(traffic && { timeout: seconds(traffic.timeout), maxInstanceRequestConcurrency: traffic.concurrency }),
      containers: [
        {
          ...containerOf(inputs, service),
          resources: {
            limits: limitsOf(service),
            // Singletons run without requests, so they need CPU at all times.
            cpuIdle: !alone,
            startupCpuBoost: true,
          },
          ports: [{ containerPort: 8080 }],
        },
      ],
    },
  };
}

function domainOf({ place }: ResourceInputs, { name, domain }: ManifestService, run: Resource): readonly Resource[] {
  if (domain === "") return [];
  const spec = { routeName: names.serviceName(place, name), certificateMode: "AUTOMATIC" };
  return [ownedResource("domain", domainId(place, domain), `domain ${domain}`, { spec }, [keyOf(run)])];
}

/** Returns the Cloud Run job of a runner. It is named after the `Job`, so that callers need not know the runner. */
function runJob(inputs: ResourceInputs, service: ManifestService): Resource {
  const { place } = inputs;
  const { receives } = service;
  const spec = {
    labels: names.labelsOf(place),
    template: {
      taskCount: receives?.tasks ?? 1,
      template: {
        serviceAccount: names.serviceAccountEmail(place, service.name),
        maxRetries: (receives?.delivery.maxAttempts ?? 1) - 1,
        timeout: seconds(receives?.delivery.deadline ?? 600_000),
        containers: [{ ...containerOf(inputs, service), resources: { limits: limitsOf(service) } }],
      },
    },
  };
  const name = receives?.source.name ?? service.name;
  const account = accountId(place, names.serviceAccountEmail(place, service.name));
  const id = `${regionOf(place)}/jobs/${names.jobName(place, name)}`;
  return ownedResource("job", id, `job ${name}`, spec, [keyOf({ kind: "service-account", id: account })]);
}

function limitsOf({ footprint }: ManifestService): Fields {
  return { cpu: String(footprint.cpu), memory: `${footprint.memory}Mi` };
}

function containerOf(inputs: ResourceInputs, service: ManifestService): Fields {
  return { image: inputs.images[service.name] ?? "", env: environmentOf(inputs, service) };
}

function environmentOf({ manifest, place }: ResourceInputs, service: ManifestService): readonly Fields[] {
  const { password = false, social = false } = manifest.signIn ?? {};
  const set: Record<string, string> = { FW_ENV: place.env, ...locationEnvironment(place) };
  if (service.kind === "app" && (password || social)) {
    set["FW_AUTH_APIKEY"] = placeholders.apiKey;
    set["FW_AUTH_DOMAIN"] = placeholders.authDomain;
  }
  const values = Object.entries(set).map(([name, value]) => ({ name, value }));
  const secrets = service.secrets.map((name) => ({
    name,
    valueSource: { secretKeyRef: { secret: names.secretName(place, name), version: "latest" } },
  }));
  return [...values, ...secrets];
}
