import { systemClock } from "../../platform/clock.ts";
import { readFile } from "node:fs/promises";
import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { Connections } from "../../platform/gcp/rest/connections.ts";
import type { Hosts } from "../../platform/gcp/rest/hosts.ts";
import { RenewedToken, metadataIdentity, type CloudIdentity, type Token } from "../../platform/gcp/rest/identity.ts";
import { readMetadata } from "../../platform/gcp/rest/metadata.ts";
import { exchangeExternal, type ExternalAccount } from "./external-account.ts";
import { Ask } from "./ask.ts";
import { signedToken, type ServiceAccountKey } from "./service-account-key.ts";

/** Who deploys. */
export interface Credentials {
  readonly identity: CloudIdentity;
  /** For those who find a lock. */
  readonly who: string;
  /** True for a person, whose calls Google counts on the project that they name. */
  readonly isPerson: boolean;
}

interface Ground {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly connections: Connections;
  readonly hosts: Hosts;
}

/** No credentials are found, or such as cannot be used. */
export class CredentialsError extends Error {}

interface Person {
  readonly type: "authorized_user";
  readonly client_id: string;
  readonly client_secret: string;
  readonly refresh_token: string;
}

interface Impersonated {
  readonly type: "impersonated_service_account";
  readonly service_account_impersonation_url: string;
  readonly source_credentials: File;
}

type File = Person | ServiceAccountKey | ExternalAccount | Impersonated;

const clock = { ...systemClock, sleep: () => Promise.reject(new Error("nothing waits")) };

/**
 * The application default credentials, as Google's own tools find them: the file that `GOOGLE_APPLICATION_CREDENTIALS`
 * names, the one that `gcloud auth application-default login` writes, else the metadata server of the machine.
 */
export async function defaultCredentials({ env, connections, hosts }: Ground): Promise<Credentials> {
  const own = `${userInfo().username}@${hostname()}`;
  const given = env["CLOUDSDK_AUTH_ACCESS_TOKEN"];
  if (given) return { identity: fixed(given), who: own, isPerson: false };
  const found = await credentialsFile(env);
  if (found === undefined) {
    const identity = metadataIdentity(readMetadata(env, connections), clock);
    const who = await identity.email().catch((error: unknown) => {
      throw new CredentialsError(missing, { cause: error });
    });
    return { identity, who, isPerson: false };
  }
  const ask = new Ask(connections, hosts);
  const kept = new RenewedToken(clock, () => tokenOf(found.file, ask, found.path));
  const identity: CloudIdentity = {
    accessToken: async () => {
      try {
        return await kept.get();
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        throw new CredentialsError(`${found.path} is refused (${error.message}); ${logIn}`, { cause: error });
      }
    },
    forgetAccessToken: (token) => kept.forget(token),
    idToken: () => Promise.reject(new Error("credentials of a deploy have no ID tokens")),
    email: () => Promise.resolve(own),
  };
  return { identity, who: whoOf(found.file) ?? own, isPerson: found.file.type === "authorized_user" };
}

const logIn = 'log in with "gcloud auth application-default login", or name a file in GOOGLE_APPLICATION_CREDENTIALS';

const missing = `no credentials for Google Cloud are found: ${logIn}`;

function fixed(token: string): CloudIdentity {
  return {
    accessToken: () => Promise.resolve(token),
    forgetAccessToken: () => {},
    idToken: () => Promise.reject(new Error("an access token has no ID tokens")),
    email: () => Promise.reject(new Error("an access token does not say whose it is")),
  };
}

async function credentialsFile(
  env: Ground["env"],
): Promise<{ readonly path: string; readonly file: File } | undefined> {
  const named = env["GOOGLE_APPLICATION_CREDENTIALS"];
  const appData = env["APPDATA"];
  const home = appData === undefined ? join(env["HOME"] ?? homedir(), ".config", "gcloud") : join(appData, "gcloud");
  const path = named || join(env["CLOUDSDK_CONFIG"] || home, "application_default_credentials.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (named)
      throw new CredentialsError(`GOOGLE_APPLICATION_CREDENTIALS names ${path}, which cannot be read`, {
        cause: error,
      });
    return undefined;
  });
  if (text === undefined) return undefined;
  try {
    return { path, file: JSON.parse(text) as File };
  } catch (cause) {
    throw new CredentialsError(`${path} is no JSON; ${logIn}`, { cause });
  }
}

function whoOf(file: File): string | undefined {
  return file.type === "service_account" ? file.client_email : undefined;
}

async function tokenOf(file: File, ask: Ask, path: string): Promise<Token> {
  switch (file.type) {
    case "authorized_user": {
      const { client_id, client_secret, refresh_token } = file;
      return ask.form("https://oauth2.googleapis.com/token", {
        grant_type: "refresh_token",
        client_id,
        client_secret,
        refresh_token,
      });
    }
    case "service_account":
      return signedToken(file, ask);
    case "external_account":
      return exchangeExternal(file, ask);
    case "impersonated_service_account": {
      const source = await tokenOf(file.source_credentials, ask, path);
      return ask.impersonated(file.service_account_impersonation_url, source.text);
    }
    default:
      throw new CredentialsError(
        `${path} has credentials of the type ${String((file as { type?: unknown }).type)}, which fw does not read; ${logIn}`,
      );
  }
}
