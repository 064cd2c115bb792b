import type { ManifestService } from "../../build/manifest.ts";
import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import { placeholders } from "../known.ts";
import { keyOf, type Resource } from "../resource.ts";
import {
  accountId,
  domainId,
  inPackage,
  isDeliveredTo,
  isPublic,
  isService,
  owned,
  pusherOf,
  regionOf,
  seconds,
  serviceId,
  shared,
  type Declared,
} from "./parts.ts";

/** The identities of services, the services, their traffic, and jobs. */
export function serviceResources(declared: Declared): readonly Resource[] {
  const { manifest } = declared;
  return manifest.services.flatMap((service) =>
    inPackage(service, [
      ...accounts(declared, service),
      ...imageOf(declared, service),
      ...(isService(service) ? runService(declared, service) : [runJob(declared, service)]),
    ]),
  );
}

/** Two services of one content share an image. */
function imageOf({ images }: Declared, { name }: ManifestService): readonly Resource[] {
  const reference = images[name];
  return reference === undefined ? [] : [shared("image", reference, `image of ${name}`, {})];
}

function accounts(declared: Declared, service: ManifestService): readonly Resource[] {
  const { place } = declared;
  const account = (email: string, title: string): Resource =>
    owned("service-account", accountId(place, email), title, {
      displayName: title.slice(0, 100),
      description: `${names.markOf(place)} ${service.name}`,
      disabled: false,
    });
  const own = account(names.serviceAccountEmail(place, service.name), `account of ${service.name}`);
  if (!isDeliveredTo(service)) return [own];
  return [own, account(pusherOf(declared, service).email, `who brings messages to ${service.name}`)];
}

function runService(declared: Declared, service: ManifestService): readonly Resource[] {
  const { place } = declared;
  const { kind, traffic } = service;
  const alone = kind === "singleton";
  const maxInstanceCount = alone ? 1 : (traffic?.maxInstances ?? 100);
  const spec = {
    labels: names.labelsOf(place),
    ingress: "INGRESS_TRAFFIC_ALL",
    // Cloud Run then asks nobody who he is: the service has its own doors.
    invokerIamDisabled: isPublic(service),
    defaultUriDisabled: false,
    scaling: { minInstanceCount: alone ? 1 : (traffic?.minInstances ?? 0), maxInstanceCount },
    template: {
      // A revision has limits of its own, of which the lower counts.
      scaling: { minInstanceCount: 0, maxInstanceCount },
      serviceAccount: names.serviceAccountEmail(place, service.name),
      ...(traffic && { timeout: seconds(traffic.timeout), maxInstanceRequestConcurrency: traffic.concurrency }),
      containers: [
        {
          ...containerOf(declared, service),
          resources: {
            limits: limitsOf(service),
            // What works without a request needs its processor all the time.
            cpuIdle: !alone,
            startupCpuBoost: true,
          },
          ports: [{ containerPort: 8080 }],
        },
      ],
    },
  };
  const id = serviceId(place, service.name);
  const account = accountId(place, names.serviceAccountEmail(place, service.name));
  const run = owned("service", id, `service ${service.name}`, spec, [keyOf({ kind: "service-account", id: account })]);
  return [
    run,
    shared("traffic", id, `traffic of ${service.name}`, { serving: "latest" }, [keyOf(run)]),
    ...domainOf(declared, service, run),
  ];
}

function domainOf({ place }: Declared, { name, domain }: ManifestService, run: Resource): readonly Resource[] {
  if (domain === "") return [];
  const spec = { routeName: names.serviceName(place, name), certificateMode: "AUTOMATIC" };
  return [owned("domain", domainId(place, domain), `domain ${domain}`, { spec }, [keyOf(run)])];
}

/** The job is named for what starts it, which need not know who runs it. */
function runJob(declared: Declared, service: ManifestService): Resource {
  const { place } = declared;
  const { receives } = service;
  const spec = {
    labels: names.labelsOf(place),
    template: {
      taskCount: receives?.tasks ?? 1,
      template: {
        serviceAccount: names.serviceAccountEmail(place, service.name),
        maxRetries: (receives?.delivery.maxAttempts ?? 1) - 1,
        timeout: seconds(receives?.delivery.deadline ?? 600_000),
        containers: [{ ...containerOf(declared, service), resources: { limits: limitsOf(service) } }],
      },
    },
  };
  const name = receives?.source.name ?? service.name;
  const account = accountId(place, names.serviceAccountEmail(place, service.name));
  const id = `${regionOf(place)}/jobs/${names.jobName(place, name)}`;
  return owned("job", id, `job ${name}`, spec, [keyOf({ kind: "service-account", id: account })]);
}

function limitsOf({ footprint }: ManifestService): Fields {
  return { cpu: String(footprint.cpu), memory: `${footprint.memory}Mi` };
}

function containerOf(declared: Declared, service: ManifestService): Fields {
  return { image: declared.images[service.name] ?? "", env: environmentOf(declared, service) };
}

function environmentOf({ manifest, place }: Declared, service: ManifestService): readonly Fields[] {
  const { password = false, social = false } = manifest.signIn ?? {};
  const set: Record<string, string> = { FW_ENV: place.env };
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
