import { sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../platform/clock.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { Connections } from "../../platform/gcp/rest/connections.ts";
import type { Hosts } from "../../platform/gcp/rest/hosts.ts";
import { RenewedToken, metadataIdentity, type CloudIdentity, type Token } from "../../platform/gcp/rest/identity.ts";
import { readMetadata } from "../../platform/gcp/rest/metadata.ts";
import { TokenClient, scope } from "./token-client.ts";

export interface Credentials {
  readonly identity: CloudIdentity;
  /** The account's email, or `user@host` if it is unknown; shown to other deploys while this one holds the lock. */
  readonly who: string;
  /** True for a person, whose API calls are charged to the target project. */
  readonly isPerson: boolean;
}

interface CredentialsContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly connections: Connections;
  readonly hosts: Hosts;
}

/** Thrown if credentials are missing or unusable. */
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
 * Finds the access token in `CLOUDSDK_AUTH_ACCESS_TOKEN`, or else the application default credentials where Google's
 * tools do: in the file of `GOOGLE_APPLICATION_CREDENTIALS`, in the file of `gcloud auth application-default login`, or
 * on the metadata server.
 */
export async function defaultCredentials(context: CredentialsContext): Promise<Credentials> {
  const { env, connections, hosts } = context;
  const own = `${userInfo().username}@${hostname()}`;
  const accessToken = env["CLOUDSDK_AUTH_ACCESS_TOKEN"];
  if (accessToken) return { identity: fixed(accessToken), who: own, isPerson: false };
  const credentials = await credentialsFile(env);
  if (credentials === undefined) return metadataCredentials(context);
  const ask = new TokenClient(connections, hosts);
  const renewed = new RenewedToken(clock, () => tokenOf(credentials.file, ask, credentials.path));
  const identity: CloudIdentity = {
    accessToken: async () => {
      try {
        return await renewed.get();
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        throw new CredentialsError(
          `Google rejects the credentials in ${credentials.path} (${error.message}); ${logIn}`,
          { cause: error },
        );
      }
    },
    forgetAccessToken: (token) => renewed.forget(token),
    email: () => Promise.resolve(own),
  };
  return { identity, who: whoOf(credentials.file) ?? own, isPerson: credentials.file.type === "authorized_user" };
}

/** Returns the credentials of a Google Cloud machine; throws on any other machine. */
async function metadataCredentials({ env, connections }: CredentialsContext): Promise<Credentials> {
  const identity = metadataIdentity(readMetadata(env, connections), clock);
  const who = await identity.email().catch((error: unknown) => {
    throw new CredentialsError(missing, { cause: error });
  });
  return { identity, who, isPerson: false };
}

const logIn =
  'log in with "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS to a credentials file';

const missing = `no credentials for Google Cloud found: ${logIn}`;

function fixed(token: string): CloudIdentity {
  return {
    accessToken: () => Promise.resolve(token),
    forgetAccessToken: () => {},
    email: () => Promise.reject(new Error("an access token does not name its account")),
  };
}

async function credentialsFile(
  env: CredentialsContext["env"],
): Promise<{ readonly path: string; readonly file: File } | undefined> {
  const explicitPath = env["GOOGLE_APPLICATION_CREDENTIALS"];
  const appData = env["APPDATA"];
  const home = appData === undefined ? join(env["HOME"] ?? homedir(), ".config", "gcloud") : join(appData, "gcloud");
  const path = explicitPath || join(env["CLOUDSDK_CONFIG"] || home, "application_default_credentials.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (explicitPath)
      throw new CredentialsError(`cannot read ${path} (from GOOGLE_APPLICATION_CREDENTIALS)`, {
        cause: error,
      });
    return undefined;
  });
  if (text === undefined) return undefined;
  try {
    return { path, file: JSON.parse(text) as File };
  } catch (cause) {
    throw new CredentialsError(`${path} is not valid JSON; ${logIn}`, { cause });
  }
}

function whoOf(file: File): string | undefined {
  return file.type === "service_account" ? file.client_email : undefined;
}

async function tokenOf(file: File, ask: TokenClient, path: string): Promise<Token> {
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
        `${path} has credentials of the unsupported type ${String((file as { type?: unknown }).type)}; ${logIn}`,
      );
  }
}

interface ServiceAccountKey {
  readonly type: "service_account";
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id?: string;
  readonly token_uri?: string;
}

/** Exchanges a JWT signed with a service account's key for an access token. */
function signedToken(key: ServiceAccountKey, ask: TokenClient): Promise<Token> {
  const { client_email, private_key, private_key_id, token_uri = "https://oauth2.googleapis.com/token" } = key;
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "RS256", typ: "JWT", ...(private_key_id !== undefined && { kid: private_key_id }) };
  const claims = { iss: client_email, scope, aud: token_uri, iat: now, exp: now + 3600 };
  const signingInput = [header, claims]
    .map((json) => Buffer.from(JSON.stringify(json)).toString("base64url"))
    .join(".");
  const assertion = `${signingInput}.${sign("sha256", Buffer.from(signingInput), private_key).toString("base64url")}`;
  return ask.form(token_uri, { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
}

/**
 * Credentials without a key: another identity provider, such as a CI system, vouches for the account (workload identity
 * federation).
 */
interface ExternalAccount {
  readonly type: "external_account";
  readonly audience: string;
  readonly subject_token_type: string;
  readonly token_url: string;
  readonly service_account_impersonation_url?: string;
  readonly credential_source: {
    readonly file?: string;
    readonly url?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly format?: { readonly type?: "text" | "json"; readonly subject_token_field_name?: string };
  };
}

/** Exchanges the identity provider's token for a Google token. */
async function exchangeExternal(account: ExternalAccount, ask: TokenClient): Promise<Token> {
  const { audience, subject_token_type, token_url, service_account_impersonation_url: url } = account;
  const exchanged = await ask.form(token_url, {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    audience,
    scope,
    subject_token: await subjectToken(account, ask),
    subject_token_type,
  });
  return url === undefined ? exchanged : ask.impersonated(url, exchanged.text);
}

async function subjectToken({ credential_source: source }: ExternalAccount, ask: TokenClient): Promise<string> {
  const { file, url, headers = {}, format = {} } = source;
  if (file === undefined && url === undefined)
    throw new Error(
      "these credentials get their token from a program or another cloud; fw supports only files and URLs",
    );
  const text = file === undefined ? await ask.get(url ?? "", headers) : await readFile(file, "utf8");
  if (format.type !== "json") return text.trim();
  const fields = JSON.parse(text) as Readonly<Record<string, string>>;
  return fields[format.subject_token_field_name ?? "access_token"] ?? "";
}
