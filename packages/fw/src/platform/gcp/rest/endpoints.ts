import { readHosts, targetOf, type Target } from "./hosts.ts";

/** Google's APIs, named by the first label of their host. */
export type Api =
  | "datastore"
  | "storage"
  | "pubsub"
  | "cloudtasks"
  | "cloudscheduler"
  | "run"
  | "secretmanager"
  | "iamcredentials"
  | "identitytoolkit"
  | "monitoring"
  | "logging"
  // Only deploys use the following APIs.
  | "artifactregistry"
  | "cloudbilling"
  | "cloudresourcemanager"
  | "firestore"
  | "iam"
  | "serviceusage";

export interface Endpoint {
  /** The public address, for example for signed URLs. */
  readonly url: URL;
  readonly target: Target;
  /** True for an emulator, which has no identities and treats every caller as the owner. */
  readonly emulated: boolean;
}

/** The environment variables that Google's own tools use for emulators. */
const emulatorVariables: { readonly [Each in Api]?: string } = {
  datastore: "DATASTORE_EMULATOR_HOST",
  pubsub: "PUBSUB_EMULATOR_HOST",
  storage: "STORAGE_EMULATOR_HOST",
  identitytoolkit: "FIREBASE_AUTH_EMULATOR_HOST",
};

/**
 * Reads where each API is: at an emulator, else at gcloud's override, else at Google. `FW_CLOUD_HOSTS` can redirect the
 * last two.
 */
export function readEndpoints(env: Readonly<Record<string, string | undefined>>): (api: Api) => Endpoint {
  const hosts = readHosts(env);
  const endpoints = new Map<Api, Endpoint>();
  return (api) => {
    const endpoint = endpoints.get(api) ?? find(api, env, hosts);
    endpoints.set(api, endpoint);
    return endpoint;
  };
}

function find(api: Api, env: Readonly<Record<string, string | undefined>>, hosts: (url: URL) => Target): Endpoint {
  const variable = emulatorVariables[api];
  const emulator = variable && env[variable];
  if (emulator) return emulatorEndpoint(api, variable, emulator);
  const override = `CLOUDSDK_API_ENDPOINT_OVERRIDES_${api.toUpperCase()}`;
  const base = env[override];
  const url = base ? urlIn(override, base) : new URL(`https://${api}.googleapis.com`);
  return { url, target: hosts(url), emulated: false };
}

function emulatorEndpoint(api: Api, variable: string, emulator: string): Endpoint {
  const url = urlIn(variable, /^https?:/.test(emulator) ? emulator : `http://${emulator}`);
  const target = targetOf(url);
  // The account emulator serves several APIs, each under a path that starts with the API's host.
  const prefix = api === "identitytoolkit" ? `${target.prefix}/identitytoolkit.googleapis.com` : target.prefix;
  return { url, target: { ...target, prefix }, emulated: true };
}

function urlIn(variable: string, text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new Error(`${variable} is ${JSON.stringify(text)}, which is not a valid URL`);
}
