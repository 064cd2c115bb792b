import { join } from "node:path";
import { messageOf } from "../lib/thrown.ts";
import { readCloudLocation, type CloudLocation } from "../platform/gcp/cloud-location.ts";
import type { Cloud } from "../platform/gcp/cloud.ts";
import { runTask } from "../runtime/background/task-process.ts";
import type { ServiceVerifier } from "../runtime/access/service-call.ts";
import { usesBackground } from "../runtime/capabilities.ts";
import { lineSink } from "../runtime/observe/log-line.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import type { MetricExporter } from "../runtime/observe/metrics/flusher.ts";
import { settings } from "../runtime/settings.ts";
import { ConfigurationError } from "./configuration.ts";
import type { connections } from "./gcp/connections.ts";
import type { openData } from "./gcp/data.ts";
import { cloudLine } from "./gcp/log.ts";
import type { openSignIn } from "./gcp/sign-in.ts";
import type { ServicePlatform } from "./platform.ts";

/** Optional parts of a service. The functions import code. */
interface GcpParts {
  readonly data?: () => Promise<{ readonly openData: typeof openData }>;
  /** The events that the framework publishes on the service's behalf. */
  readonly publishes?: readonly string[];
  readonly signIn?: () => Promise<{ readonly openSignIn: typeof openSignIn }>;
  /** Connects the service to its peers and verifies its callers. */
  readonly connections?: () => Promise<{ readonly connections: typeof connections }>;
  readonly callers?: readonly string[];
  /** The path of the social provider's browser library, relative to the service's files. */
  readonly library?: string;
}

/** Connects to the cloud. The first call loads the code; later calls return the same connection. */
type Connect = () => Promise<Cloud>;

/**
 * Returns the platform of a service on Cloud Run. Its location comes from its environment or the metadata server. Peers
 * are reached at their Cloud Run addresses.
 */
export function gcpService(parts: GcpParts): ServicePlatform {
  const { data, publishes = [], signIn, callers = [], library } = parts;
  return {
    name: "gcp",
    async place({ name, directory, bundle }) {
      const connect = connectOnce(process.env);
      const place = await locate(connect, bundle.app, name);
      const log = lineSink(cloudLine(place.project), (line) => process.stdout.write(line));
      const own = { bundle, publishes, log: new TaggedLogger(log, {}) };
      const dataOptions = data && (await (await data()).openData({ place, cloud: await connect() }, own));
      const files = library === undefined ? undefined : join(directory, library);
      const provider = signIn && (await signIn()).openSignIn(process.env, (await connect()).endpointOf, files);
      return {
        options: {
          settings: settings.cloud,
          callers: noCallers,
          ...dataOptions,
          ...(await parts.connections?.())?.connections(await connect(), place, { bundle, callers }),
          ...(provider && { signInFlow: provider.flow, injected: provider.endpoints }),
        },
        log,
        exporter: exporterTo(connect, place),
        ...(usesBackground &&
          process.env["CLOUD_RUN_JOB"] !== undefined && { task: (app) => runTask(app, process.env) }),
      };
    },
  };
}

/** The verifier of a service that no other service may call. */
const noCallers: ServiceVerifier = { verify: () => undefined };

/** Returns a function that connects to the cloud once. It rejects with a ConfigurationError if `env` is invalid. */
function connectOnce(env: Readonly<Record<string, string | undefined>>): Connect {
  let connected: Promise<Cloud> | undefined;
  const connect = async (): Promise<Cloud> => {
    const { connectCloud } = await import("../platform/gcp/cloud.ts");
    try {
      return connectCloud(env);
    } catch (error) {
      throw new ConfigurationError(messageOf(error));
    }
  };
  return () => (connected ??= connect());
}

/** Reads this service's project, region and name. On Cloud Run, refuses to redirect Google's hosts. */
async function locate(connect: Connect, app: string, service: string): Promise<CloudLocation> {
  if (process.env["FW_CLOUD_HOSTS"]) await connect();
  const env = { FW_APP: app, FW_SERVICE: service, ...process.env };
  return readCloudLocation(env, async () => (await connect()).readLocation()).catch((error: unknown) => {
    throw new ConfigurationError(
      `this service was built for gcp, but could not determine where it runs: ${messageOf(error)}`,
    );
  });
}

/** Creates an exporter whose code is loaded by the first export. */
function exporterTo(connect: Connect, place: CloudLocation): MetricExporter {
  let opening: Promise<MetricExporter> | undefined;
  const open = async (): Promise<MetricExporter> => {
    const { openExporter } = await import("./gcp/metrics.ts");
    return openExporter(await connect(), place);
  };
  return {
    async export(snapshotNow) {
      opening ??= open();
      const exporter = await opening.catch((error: unknown) => {
        // Let the next export try again.
        opening = undefined;
        throw error;
      });
      await exporter.export(snapshotNow);
    },
  };
}
