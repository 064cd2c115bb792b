import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { beforeEach, afterEach, describe, expect, test } from "vitest";
import { member, project, testCloud, type Answer } from "../testing/client.ts";
import { canonicalRequest } from "./signed-url.ts";

const api = "https://storage.googleapis.com";
const bucket = "//storage.googleapis.com/projects/_/buckets/boats";
let cloud: Awaited<ReturnType<typeof testCloud>>;

beforeEach(async () => {
  cloud = await testCloud();
  cloud.grant("user:admin@x", "roles/owner", project);
  await cloud.ask(`${api}/storage/v1/b?project=demo-fw`, {
    as: "admin@x",
    body: {
      name: "boats",
      versioning: { enabled: true },
      cors: [{ origin: ["https://a.example"], method: ["GET", "PUT"], responseHeader: ["content-type"] }],
    },
  });
  cloud.grant(`serviceAccount:${member}`, "roles/storage.objectUser", bucket);
});
afterEach(() => cloud.stop());

function put(name: string, content: string | Uint8Array, query = "", as: string = member): Promise<Answer> {
  return cloud.ask(`${api}/upload/storage/v1/b/boats/o?uploadType=media&name=${encodeURIComponent(name)}${query}`, {
    as,
    body: content,
    headers: { "content-type": "text/plain" },
  });
}

function get(name: string, query = "", headers = {}): Promise<Answer> {
  return cloud.ask(`${api}/storage/v1/b/boats/o/${encodeURIComponent(name)}?${query}`, { as: member, headers });
}

test("an object is read as it was written, with what is known of it", async () => {
  const metadata = (await put("fleet/a.txt", "123456789")).json;
  expect(metadata).toMatchObject({
    name: "fleet/a.txt",
    size: "9",
    contentType: "text/plain",
    crc32c: "4waSgw==",
    metageneration: "1",
  });
  expect((await get("fleet/a.txt")).json).toEqual(metadata);
  const content = await get("fleet/a.txt", "alt=media");
  expect([content.text, content.headers["x-goog-generation"]]).toEqual([
    "123456789",
    (metadata as { generation: string }).generation,
  ]);
  expect((await get("fleet/a.txt", "alt=media", { range: "bytes=1-2" })).text).toBe("23");
  expect((await get("fleet/a.txt", "alt=media", { range: "bytes=9-" })).status).toBe(416);
});

test("every generation of a bucket with versions stays readable, and preconditions are kept", async () => {
  const { generation } = (await put("a", "one")).json as { generation: string };
  expect((await put("a", "two", "&ifGenerationMatch=0")).status).toBe(412);
  expect((await put("a", "two", `&ifGenerationMatch=${generation}`)).status).toBe(200);
  expect((await get("a", `alt=media&generation=${generation}`)).text).toBe("one");
  expect((await get("a", "alt=media")).text).toBe("two");
  expect((await get("a", `ifGenerationNotMatch=${generation}`)).status).toBe(200);
  const deleted = await cloud.ask(`${api}/storage/v1/b/boats/o/a?ifGenerationMatch=${generation}`, {
    method: "DELETE",
    as: member,
  });
  expect((deleted.json as { error: object }).error).toMatchObject({
    code: 412,
    errors: [{ reason: "conditionNotMet" }],
  });
  expect((await get("b")).json).toMatchObject({ error: { code: 404, message: "No such object: boats/b" } });
});

test("a list is in the order of names, in pages, with prefixes", async () => {
  for (const name of ["b", "a/1", "a/2", "é", "c"]) await put(name, "");
  const list = async (query: string) =>
    (await cloud.ask(`${api}/storage/v1/b/boats/o?${query}`, { as: member })).json as {
      items?: { name: string }[];
      prefixes?: string[];
      nextPageToken?: string;
    };
  const first = await list("maxResults=2&fields=items(name),nextPageToken");
  expect(first.items).toEqual([{ name: "a/1" }, { name: "a/2" }]);
  const rest = await list(`pageToken=${first.nextPageToken}`);
  expect([rest.items?.map(({ name }) => name), rest.nextPageToken]).toEqual([["b", "c", "é"], undefined]);
  expect(await list("delimiter=/&fields=prefixes,items(name)&endOffset=c")).toEqual({
    prefixes: ["a/"],
    items: [{ name: "b" }],
  });
});

test("to replace an object is to delete the one before", async () => {
  cloud.cloud.policies.revoke(`serviceAccount:${member}`, "roles/storage.objectUser", bucket);
  cloud.grant(`serviceAccount:${member}`, "roles/storage.objectCreator", bucket);
  expect((await put("a", "one")).status).toBe(200);
  const refused = await put("a", "two");
  expect((refused.json as { error: { message: string } }).error.message).toBe(
    `${member} does not have storage.objects.delete access to the Google Cloud Storage object. Permission 'storage.objects.delete' denied on resource (or it may not exist).`,
  );
});

describe("an upload in parts", () => {
  const part = 256 * 1024;
  const begin = async (): Promise<string> => {
    const answer = await cloud.ask(`${api}/upload/storage/v1/b/boats/o?uploadType=resumable&name=big`, {
      as: member,
      body: { contentType: "image/png" },
    });
    return answer.headers["location"] ?? "";
  };
  const send = (url: string, range: string, body: Uint8Array | string = ""): Promise<Answer> =>
    cloud.ask(url, { method: "PUT", body, headers: { "content-range": range } });

  test("is there when the last part is, and tells how far it has come", async () => {
    const url = await begin();
    expect((await send(url, "bytes */*")).headers["range"]).toBeUndefined();
    const first = await send(url, `bytes 0-${part - 1}/*`, Buffer.alloc(part, "a"));
    expect([first.status, first.headers["range"]]).toEqual([308, `bytes=0-${part - 1}`]);
    expect((await get("big")).status).toBe(404);
    const last = await send(url, `bytes ${part}-${part + 1}/${part + 2}`, "zz");
    expect(last.json).toMatchObject({ size: String(part + 2), contentType: "image/png" });
    expect((await send(url, `bytes */${part + 2}`)).json).toEqual(last.json);
  });

  test("has parts of 256 KiB, and can be given up", async () => {
    const url = await begin();
    expect((await send(url, "bytes 0-2/*", "abc")).status).toBe(400);
    expect((await cloud.ask(url, { method: "DELETE" })).status).toBe(499);
    expect((await send(url, "bytes */*")).status).toBe(404);
  });
});

describe("a signed URL", () => {
  const account = "//iam.googleapis.com/projects/demo-fw/serviceAccounts/";

  /** Signs a URL as the account itself, without its key, like a service. */
  async function signed(method: string, headers: Record<string, string> = {}, seconds = 600): Promise<string> {
    cloud.grant(`serviceAccount:${member}`, "roles/iam.serviceAccountTokenCreator", `${account}${member}`);
    const date = new Date(cloud.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const all: Record<string, string> = { ...headers, host: "storage.googleapis.com" };
    const names = Object.keys(all).toSorted();
    const search = new URLSearchParams({
      "X-Goog-Algorithm": "GOOG4-RSA-SHA256",
      "X-Goog-Credential": `${member}/${date.slice(0, 8)}/auto/storage/goog4_request`,
      "X-Goog-Date": date,
      "X-Goog-Expires": String(seconds),
      "X-Goog-SignedHeaders": names.join(";"),
    });
    const canonical = canonicalRequest(
      { method, path: "/boats/a.png", search, headers: all },
      names,
      "storage.googleapis.com",
    );
    const scope = `${date.slice(0, 8)}/auto/storage/goog4_request`;
    const text = ["GOOG4-RSA-SHA256", date, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
    const url = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${member}:signBlob`;
    const { json } = await cloud.ask(url, { as: member, body: { payload: Buffer.from(text).toString("base64") } });
    search.set("X-Goog-Signature", Buffer.from((json as { signedBlob: string }).signedBlob, "base64").toString("hex"));
    return `${api}/boats/a.png?${search.toString()}`;
  }

  const code = ({ status, text }: Answer): string => `${status} ${/<Code>(\w+)</.exec(text)?.[1] ?? ""}`.trim();

  test("writes and reads without credentials, as far as its size and type go", async () => {
    const headers = { "content-type": "image/png", "x-goog-content-length-range": "0,4" };
    const url = await signed("PUT", headers);
    const upload = (body: string, sent: Record<string, string>) =>
      cloud.ask(url, { method: "PUT", body, headers: sent });
    expect(code(await upload("12345", headers))).toBe("400 EntityTooLarge");
    expect(code(await upload("1234", { ...headers, "content-type": "text/html" }))).toBe("403 SignatureDoesNotMatch");
    expect(code(await upload("1234", { "content-type": "image/png" }))).toBe("400 MalformedSecurityHeader");
    expect(code(await upload("1234", { ...headers, "x-goog-meta-a": "b" }))).toBe("400 MalformedSecurityHeader");
    expect(code(await upload("1234", headers))).toBe("200");
    const read = await cloud.ask(await signed("GET"));
    expect([read.text, read.headers["content-type"]]).toEqual(["1234", "image/png"]);
  });

  test("is refused when anything of it is changed, when it is over, and when it is longer than a week", async () => {
    await put("a.png", "x");
    const url = await signed("GET");
    expect(code(await cloud.ask(url, { method: "DELETE" }))).toBe("403 SignatureDoesNotMatch");
    expect(code(await cloud.ask(url.replace("a.png", "b.png")))).toBe("403 SignatureDoesNotMatch");
    expect(code(await cloud.ask(`${url}&generation=1`))).toBe("403 SignatureDoesNotMatch");
    expect(code(await cloud.ask(url.replace("Expires=600", "Expires=601")))).toBe("403 SignatureDoesNotMatch");
    expect(code(await cloud.ask(await signed("GET", {}, 604_801)))).toBe("400 InvalidArgument");
    await cloud.clock.advance(599_999);
    expect(code(await cloud.ask(url))).toBe("200");
    await cloud.clock.advance(1);
    expect(code(await cloud.ask(url))).toBe("400 ExpiredToken");
  });

  test("can do what its signer may, when it is used", async () => {
    const url = await signed("GET");
    cloud.cloud.policies.revoke(`serviceAccount:${member}`, "roles/storage.objectUser", bucket);
    expect(code(await cloud.ask(url))).toBe("403 AccessDenied");
  });

  test("is open to pages of the origins that the bucket names", async () => {
    const url = await signed("PUT");
    const ask = (origin: string) =>
      cloud.ask(url, { method: "OPTIONS", headers: { origin, "access-control-request-method": "PUT" } });
    expect((await ask("https://a.example")).headers["access-control-allow-origin"]).toBe("https://a.example");
    expect((await ask("https://b.example")).headers["access-control-allow-origin"]).toBeUndefined();
  });
});

interface Vector {
  readonly description: string;
  readonly method: string;
  readonly expectedUrl: string;
  readonly expectedCanonicalRequest: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const { signingV4Tests } = JSON.parse(
  readFileSync(new URL("../../conformance/v4_signatures.json", import.meta.url), "utf8"),
) as { signingV4Tests: Vector[] };

// In one vector the canonical request has the bucket in the path, although the URL has it in the host.
const consistent = signingV4Tests.filter(
  ({ description }) => description !== "Universe domain with virtual hosted style",
);

test.each(consistent.map((vector) => [vector.description, vector] as const))("Google's vector: %s", (_, vector) => {
  const { host, pathname, searchParams } = new URL(vector.expectedUrl);
  const lowerCased = Object.entries(vector.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const headers = { ...(Object.fromEntries(lowerCased) as Record<string, string>), host };
  const names = (searchParams.get("X-Goog-SignedHeaders") ?? "").split(";");
  const canonicals = [host, host.replace(/:\d+$/, "")].map((one) =>
    canonicalRequest({ method: vector.method, path: pathname, search: searchParams, headers }, names, one),
  );
  expect(canonicals).toContain(vector.expectedCanonicalRequest);
});
