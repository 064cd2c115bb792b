import { join } from "node:path";
import { messageOf } from "../lib/thrown.ts";
import { connectCloud, type Cloud } from "../platform/gcp/cloud.ts";
import { pusher } from "../platform/gcp/messages/caller.ts";
import { pusherEmail, serviceUrl } from "../platform/gcp/names.ts";
import { readCloudLocation, type CloudLocation } from "../platform/gcp/cloud-location.ts";
import { googleKeys, serviceTokens } from "../platform/gcp/rest/service-token.ts";
import { runTask } from "../runtime/background/task-process.ts";
import type { Bundle } from "../runtime/bundle.ts";
import type { ServiceVerifier } from "../runtime/access/service-call.ts";
import { usesBackground, usesCallers, usesRemotes } from "../runtime/capabilities.ts";
import { lineSink } from "../runtime/observe/log-line.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import { settings } from "../runtime/settings.ts";
import { ConfigurationError } from "./configuration.ts";
import type { openData } from "./gcp/data.ts";
import { invokerCheck } from "./gcp/invoker-check.ts";
import { cloudLine } from "./gcp/log.ts";
import { monitoringExporter } from "./gcp/metrics.ts";
import { cloudDirectory, serviceVerifier } from "./gcp/peers.ts";
import type { openSignIn } from "./gcp/sign-in.ts";
import type { ServicePlacement, ServicePlatform } from "./platform.ts";

/** Optional parts of a service, imported only if it uses them. */
interface GcpParts {
  /** Opens its data. */
  readonly data?: () => Promise<{ readonly openData: typeof openData }>;
  /** The events that the framework publishes on its behalf. */
  readonly publishes?: readonly string[];
  /** Opens the sign-in of its identity provider. */
  readonly signIn?: () => Promise<{ readonly openSignIn: typeof openSignIn }>;
  /** The services whose code calls this one. */
  readonly callers?: readonly string[];
  /** The file with the social provider's browser library, beside the service's own files. */
  readonly library?: string;
}

/**
 * The platform of a service on Cloud Run. The metadata server knows where the service runs, and peers have Cloud Run's
 * addresses.
 */
export function gcpService({ data, publishes = [], signIn, callers = [], library }: GcpParts): ServicePlatform {
  return {
    name: "gcp",
    async place({ name, directory, bundle }) {
      const cloud = requireCloud(process.env);
      const { place, instance } = await locate(cloud, bundle.app, name);
      const log = lineSink(cloudLine(place.project), (line) => process.stdout.write(line));
      const own = new TaggedLogger(log, {});
      const openedData = await (await data?.())?.openData({ place, cloud }, { bundle, publishes, log: own });
      const files = library === undefined ? undefined : join(directory, library);
      const provider = (await signIn?.())?.openSignIn(process.env, cloud.endpointOf, files);
      return {
        options: {
          settings: settings.cloud,
          ...openedData,
          ...connections(cloud, place, { bundle, callers }),
          ...(provider && { signInFlow: provider.flow, injected: provider.endpoints }),
        },
        log,
        exporter: exporterOf(cloud, place, instance),
        ...(usesBackground &&
          process.env["CLOUD_RUN_JOB"] !== undefined && { task: (app) => runTask(app, process.env) }),
      };
    },
  };
}

/** Throws a ConfigurationError if the environment is not that of a cloud. */
function requireCloud(env: Readonly<Record<string, string | undefined>>): Cloud {
  try {
    return connectCloud(env);
  } catch (error) {
    throw new ConfigurationError(messageOf(error));
  }
}

/** Reads the project, region and name of this service, and the id of the instance. */
async function locate(
  { metadata }: Cloud,
  app: string,
  service: string,
): Promise<{ readonly place: CloudLocation; readonly instance: string }> {
  try {
    const env = { FW_APP: app, FW_SERVICE: service, ...process.env };
    const [place, instance] = await Promise.all([readCloudLocation(env, metadata), metadata("instance/id")]);
    return { place, instance };
  } catch (error) {
    throw new ConfigurationError(
      `this service was built for gcp, but could not determine where it runs: ${messageOf(error)}`,
    );
  }
}

/** Returns the addresses of its peers, and verifiers for its callers and for messages and triggers. */
function connections(
  cloud: Cloud,
  place: CloudLocation,
  { bundle, callers }: { readonly bundle: Bundle; readonly callers: readonly string[] },
): Pick<ServicePlacement["options"], "services" | "callers" | "caller"> {
  if (!usesCallers && !usesBackground) return { ...remoteServices(cloud, place), callers: noCallers };
  const audience = serviceUrl(place, place.service);
  const tokens = serviceTokens({
    audience,
    keys: googleKeys(cloud),
    isVerifiedBefore: isPrivate(bundle) ? invokerCheck(audience, cloud) : () => Promise.resolve(false),
    now: () => cloud.clock.now(),
  });
  return {
    ...remoteServices(cloud, place),
    callers: usesCallers ? serviceVerifier(place, tokens, callers) : noCallers,
    ...(usesBackground && { caller: pusher({ audience, invoker: pusherEmail(place, place.service), tokens }) }),
  };
}

function remoteServices(cloud: Cloud, place: CloudLocation): Pick<ServicePlacement["options"], "services"> {
  return usesRemotes ? { services: cloudDirectory(place, cloud) } : {};
}

/** The verifier of a service that no other service may call. */
const noCallers: ServiceVerifier = { verify: () => undefined };

/** True if only the platform and other services call it: Cloud Run refuses all other callers. */
function isPrivate({ endpoints, packages }: Bundle): boolean {
  return endpoints.every((endpoint) => endpoint.private) && packages.every(({ site }) => site === undefined);
}

function exporterOf({ client, clock }: Cloud, place: CloudLocation, instance: string): ServicePlacement["exporter"] {
  return monitoringExporter({
    client,
    place,
    instance,
    revision: process.env["K_REVISION"] ?? "",
    sleep: (milliseconds) => clock.sleep(milliseconds),
    now: () => performance.now(),
  });
}
