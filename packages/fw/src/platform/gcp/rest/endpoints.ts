import { readHosts, targetOf, type Target } from "./hosts.ts";

/** The APIs that are called, by the first name of their host. */
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
  // Those that only deploys call.
  | "artifactregistry"
  | "cloudbilling"
  | "cloudresourcemanager"
  | "firestore"
  | "iam"
  | "serviceusage";

/** Where an API is, and who is asked there. */
export interface Endpoint {
  /** Where others find it, as whoever uses a signed URL. */
  readonly url: URL;
  readonly target: Target;
  /** True for an emulator, which knows no identities and takes everybody for the owner. */
  readonly emulated: boolean;
}

/** The variables by which Google's own tools find an emulator. */
const emulatorVariables: { readonly [Each in Api]?: string } = {
  datastore: "DATASTORE_EMULATOR_HOST",
  pubsub: "PUBSUB_EMULATOR_HOST",
  storage: "STORAGE_EMULATOR_HOST",
  identitytoolkit: "FIREBASE_AUTH_EMULATOR_HOST",
};

/** Finds where an API is: at an emulator, where gcloud's override says, or at Google, unless `FW_CLOUD_HOSTS` leads that elsewhere. */
export function readEndpoints(env: Readonly<Record<string, string | undefined>>): (api: Api) => Endpoint {
  const hosts = readHosts(env);
  const known = new Map<Api, Endpoint>();
  return (api) => {
    const endpoint = known.get(api) ?? find(api, env, hosts);
    known.set(api, endpoint);
    return endpoint;
  };
}

function find(api: Api, env: Readonly<Record<string, string | undefined>>, hosts: (url: URL) => Target): Endpoint {
  const variable = emulatorVariables[api];
  const emulator = variable && env[variable];
  if (emulator) {
    const url = urlIn(variable, /^https?:/.test(emulator) ? emulator : `http://${emulator}`);
    const target = targetOf(url);
    // The emulator of accounts serves several APIs, each below its host.
    const prefix = api === "identitytoolkit" ? `${target.prefix}/identitytoolkit.googleapis.com` : target.prefix;
    return { url, target: { ...target, prefix }, emulated: true };
  }
  const override = `CLOUDSDK_API_ENDPOINT_OVERRIDES_${api.toUpperCase()}`;
  const base = env[override];
  const url = base ? urlIn(override, base) : new URL(`https://${api}.googleapis.com`);
  return { url, target: hosts(url), emulated: false };
}

function urlIn(variable: string, text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new Error(`${variable} is ${JSON.stringify(text)}, which is no address`);
}
