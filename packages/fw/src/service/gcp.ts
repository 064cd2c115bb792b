import { join } from "node:path";
import { messageOf } from "../lib/thrown.ts";
import { connectCloud, type Cloud } from "../platform/gcp/cloud.ts";
import { pusher } from "../platform/gcp/messages/caller.ts";
import { pusherEmail, serviceUrl } from "../platform/gcp/names.ts";
import { readPlace, type Place } from "../platform/gcp/place.ts";
import { googleKeys, serviceTokens } from "../platform/gcp/rest/service-token.ts";
import { runTask } from "../runtime/background/task-process.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { lineSink } from "../runtime/observe/log-line.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import { settings } from "../runtime/settings.ts";
import { Misconfigured } from "./configuration.ts";
import type { openData } from "./gcp/data.ts";
import { invokerCheck } from "./gcp/invoker-check.ts";
import { cloudLine } from "./gcp/log.ts";
import { monitoringExporter } from "./gcp/metrics.ts";
import { cloudDirectory, serviceVerifier } from "./gcp/peers.ts";
import type { openSignIn } from "./gcp/sign-in.ts";
import type { Placing, ServicePlatform } from "./platform.ts";

/** What a service has besides, loaded where it needs it. */
interface GcpParts {
  /** What keeps its data. */
  readonly data?: () => Promise<{ readonly openData: typeof openData }>;
  /** The events that the framework tells for it. */
  readonly tells?: readonly string[];
  /** How people sign in. */
  readonly signIn?: () => Promise<{ readonly openSignIn: typeof openSignIn }>;
  /** The services whose code calls this one. */
  readonly callers?: readonly string[];
  /** The file of the social provider's library for browsers, beside the service's own. */
  readonly library?: string;
}

/** A service on Cloud Run: its place is what the metadata server says, and its peers are where Cloud Run puts them. */
export function gcpService({ data, tells = [], signIn, callers = [], library }: GcpParts): ServicePlatform {
  return {
    name: "gcp",
    async place({ name, directory, bundle }) {
      const cloud = connect(process.env);
      const { place, instance } = await locate(cloud, bundle.app, name);
      const log = lineSink(cloudLine(place.project), (line) => process.stdout.write(line));
      const own = new TaggedLogger(log, {});
      const opened = await (await data?.())?.openData({ place, cloud }, { bundle, tells, log: own });
      const files = library === undefined ? undefined : join(directory, library);
      const provider = (await signIn?.())?.openSignIn(process.env, cloud.endpointOf, files);
      return {
        options: {
          settings: settings.cloud,
          ...opened,
          ...calls(cloud, place, { bundle, callers }),
          ...(provider && { signInFlow: provider.flow, injected: provider.endpoints }),
        },
        log,
        exporter: exporterOf(cloud, place, instance),
        ...(process.env["CLOUD_RUN_JOB"] !== undefined && { task: (app) => runTask(app, process.env) }),
      };
    },
  };
}

/** Throws a Misconfigured where the environment leads to no cloud. */
function connect(env: Readonly<Record<string, string | undefined>>): Cloud {
  try {
    return connectCloud(env);
  } catch (error) {
    throw new Misconfigured(messageOf(error));
  }
}

/** Where the process runs, and which instance of its service it is. */
async function locate(
  { metadata }: Cloud,
  app: string,
  service: string,
): Promise<{ readonly place: Place; readonly instance: string }> {
  try {
    const env = { FW_APP: app, FW_SERVICE: service, ...process.env };
    const [place, instance] = await Promise.all([readPlace(env, metadata), metadata("instance/id")]);
    return { place, instance };
  } catch (error) {
    throw new Misconfigured(`this service was built for gcp, and does not find its place there: ${messageOf(error)}`);
  }
}

/** Whom it may call, who may call it, and who brings messages and triggers to it. */
function calls(
  cloud: Cloud,
  place: Place,
  { bundle, callers }: { readonly bundle: Bundle; readonly callers: readonly string[] },
): Pick<Placing["options"], "services" | "callers" | "caller"> {
  const audience = serviceUrl(place, place.service);
  const tokens = serviceTokens({
    audience,
    keys: googleKeys(cloud),
    isVerifiedBefore: isPrivate(bundle) ? invokerCheck(audience, cloud) : () => Promise.resolve(false),
    now: () => cloud.clock.now(),
  });
  return {
    services: cloudDirectory(place, cloud),
    callers: serviceVerifier(place, tokens, callers),
    caller: pusher({ audience, invoker: pusherEmail(place, place.service), tokens }),
  };
}

/** Whether nobody but the platform and other services has anything to ask of it: Cloud Run then lets nobody else in. */
function isPrivate({ endpoints, packages }: Bundle): boolean {
  return endpoints.every((endpoint) => endpoint.private) && packages.every(({ site }) => site === undefined);
}

function exporterOf({ client, clock }: Cloud, place: Place, instance: string): Placing["exporter"] {
  return monitoringExporter({
    client,
    place,
    instance,
    revision: process.env["K_REVISION"] ?? "",
    sleep: (milliseconds) => clock.sleep(milliseconds),
    now: () => performance.now(),
  });
}
