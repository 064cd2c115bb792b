import { createVerify, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Connections } from "../../platform/gcp/rest/connections.ts";
import { readHosts } from "../../platform/gcp/rest/hosts.ts";
import { CredentialsError, defaultCredentials, type Credentials } from "./credentials.ts";

interface SeenRequest {
  readonly url: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

let server: Server;
let origin: string;
let home: string;
let seenRequests: SeenRequest[];
const connections = new Connections();

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "fw-credentials-"));
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { authorization } = request.headers;
      seenRequests.push({ url: request.url ?? "", body, authorization });
      if (request.url === "/subject") return response.end(JSON.stringify({ value: "from the CI" }));
      if (body.includes("revoked")) return response.writeHead(400).end(JSON.stringify({ error: "invalid_grant" }));
      if (request.url?.startsWith("/v1/") === true)
        return response.end(JSON.stringify({ accessToken: "impersonated", expireTime: "2100-01-01T00:00:00Z" }));
      return response.end(JSON.stringify({ access_token: `token ${seenRequests.length}`, expires_in: 3600 }));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  seenRequests = [];
});

afterAll(async () => {
  await connections.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true });
});

test("somebody who has logged in is asked for by his refresh token, once for all calls", async () => {
  const credentials = await open({
    type: "authorized_user",
    client_id: "id",
    client_secret: "secret",
    refresh_token: "refresh",
  });
  expect(credentials.isPerson).toBe(true);
  expect(await Promise.all([token(credentials), token(credentials)])).toEqual(["token 1", "token 1"]);
  expect(Object.fromEntries(new URLSearchParams(seenRequests[0]?.body))).toEqual({
    grant_type: "refresh_token",
    client_id: "id",
    client_secret: "secret",
    refresh_token: "refresh",
  });
});

test("a key of a service account signs what it asks for, at the address that the key names", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const credentials = await open({
    type: "service_account",
    client_email: "ci@demo-fw.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    private_key_id: "key-1",
    token_uri: `${origin}/own-token`,
  });
  expect(credentials).toMatchObject({ who: "ci@demo-fw.iam.gserviceaccount.com", isPerson: false });
  expect(await token(credentials)).toBe("token 1");
  expect(seenRequests[0]?.url).toBe("/own-token");
  const [header = "", claims = "", signature = ""] = (
    new URLSearchParams(seenRequests[0]?.body).get("assertion") ?? ""
  ).split(".");
  expect(createVerify("sha256").update(`${header}.${claims}`).verify(publicKey, signature, "base64url")).toBe(true);
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    iss: "ci@demo-fw.iam.gserviceaccount.com",
    aud: `${origin}/own-token`,
  });
});

test("a CI without a key exchanges its own token, and acts as a service account", async () => {
  const credentials = await open({
    type: "external_account",
    audience: "//iam.googleapis.com/pools/ci",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${origin}/exchange`,
    service_account_impersonation_url: `${origin}/v1/account:generateAccessToken`,
    credential_source: { url: `${origin}/subject`, format: { type: "json", subject_token_field_name: "value" } },
  });
  expect(await token(credentials)).toBe("impersonated");
  expect(seenRequests.map(({ url }) => url)).toEqual(["/subject", "/exchange", "/v1/account:generateAccessToken"]);
  expect(new URLSearchParams(seenRequests[1]?.body).get("subject_token")).toBe("from the CI");
  expect(seenRequests[2]?.authorization).toBe("Bearer token 2");
});

test("credentials that are refused, or of a kind that fw does not read, say what to do", async () => {
  const refusal = await open({
    type: "authorized_user",
    client_id: "id",
    client_secret: "s",
    refresh_token: "revoked",
  });
  await expect(token(refusal)).rejects.toThrow(
    /Google rejects the credentials in .* \(.*invalid_grant.*\); log in with "gcloud auth application-default login"/,
  );
  const other = await open({ type: "gdch_service_account" });
  await expect(token(other)).rejects.toThrow(/has credentials of the unsupported type gdch_service_account/);
  const byPath = defaultCredentials({
    env: { GOOGLE_APPLICATION_CREDENTIALS: join(home, "none.json") },
    connections,
    hosts: readHosts({}),
  });
  await expect(byPath).rejects.toThrow(CredentialsError);
});

/** Opens the default credentials from a file with this content, as gcloud writes it. */
function open(file: object): Promise<Credentials> {
  writeFileSync(join(home, "application_default_credentials.json"), JSON.stringify(file));
  const hosts = readHosts({ FW_CLOUD_HOSTS: JSON.stringify({ "*.googleapis.com": origin }) });
  return defaultCredentials({ env: { CLOUDSDK_CONFIG: home }, connections, hosts });
}

function token({ identity }: Credentials): Promise<string> {
  return identity.accessToken();
}
