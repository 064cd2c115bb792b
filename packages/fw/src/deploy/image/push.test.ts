import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startFakeCloud, type FakeCloud } from "../../../../fake-cloud/src/index.ts";
import { Retries } from "../../platform/gcp/rest/retry.ts";
import { readBase } from "./base.ts";
import { BlobCache, cacheDirectory } from "./blob-cache.ts";
import { imageOf, type Image } from "./image.ts";
import { pushImage, type PushResult } from "./push.ts";
import { openRegistries, type Registries } from "./registry.ts";
import { linkedBase, publishBase } from "./testing/base.ts";

const deployer = "deployer@demo-fw.iam.gserviceaccount.com";
const repository = "europe-west1-docker.pkg.dev/demo-fw/fw/shop-prod";
const settings = { command: ["/app/main.js"], env: {}, user: "65532" };
let fake: FakeCloud;
let directory: string;
let reference: string;
let requestCount = 0;

beforeAll(async () => {
  fake = await startFakeCloud();
  directory = mkdtempSync(join(tmpdir(), "fw-push-"));
  writeFileSync(join(directory, "main.js"), "console.log(1)\n");
  fake.apis.registry.repositories.set("projects/demo-fw/locations/europe-west1/repositories/fw", {});
  fake.grant(`serviceAccount:${deployer}`, "roles/artifactregistry.writer");
  reference = await publishBase(fake, await linkedBase());
});
afterAll(async () => {
  await fake.stop();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  requestCount = fake.apis.registry.requests.length;
});

const quick = { retries: new Retries(() => Promise.resolve()) };
const anonymous = (): Registries => openRegistries(fake.env, undefined, quick);
const own = (email = deployer): Registries => openRegistries(fake.env, () => Promise.resolve(fake.token(email)), quick);
const requestsTo = (host: RegExp = /./): readonly string[] =>
  fake.apis.registry.requests
    .slice(requestCount)
    .map(({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f]{64}/g, "…").replace(/upload-\d+/, "…")}`)
    .filter((line) => host.test(line));

let cache = "";
async function image(text = "console.log(1)\n", fresh = false): Promise<Image> {
  if (fresh || cache === "") cache = mkdtempSync(join(directory, "..", "fw-cache-"));
  writeFileSync(join(directory, "main.js"), text);
  return imageOf(
    directory,
    await readBase(reference, anonymous(), new BlobCache(cacheDirectory({ XDG_CACHE_HOME: cache }))),
    settings,
  );
}
const push = async (tag: string, what: Image, registries = own(), to = repository): Promise<PushResult> =>
  pushImage(what, to, tag, registries);
afterAll(() => rmSync(cache, { recursive: true, force: true }));

test("a first push sends what the registry has not, of the base too, and answers with what names it for ever", async () => {
  const first = await image();
  const { reference: pushed, uploaded } = await push("web", first);
  expect(pushed).toBe(`${repository}@${first.digest}`);
  const bytes = [...first.layers.map(({ size }) => size), first.config.byteLength, first.manifest.byteLength];
  expect(uploaded).toBe(bytes.reduce((sum, size) => sum + size));
  expect(fake.apis.registry.image(pushed)?.config.Cmd).toEqual(["/app/main.js"]);
});

test("an image that is there is asked for once, and nothing is sent", async () => {
  await push("web", await image());
  requestCount = fake.apis.registry.requests.length;
  expect(await push("web", await image())).toMatchObject({ uploaded: 0 });
  expect(requestsTo(/shop-prod/)).toEqual(["GET /v2/demo-fw/fw/shop-prod/manifests/web"]);
});

test("of a change of code the layer of the code is sent, and the base is not even fetched", async () => {
  await push("web", await image());
  requestCount = fake.apis.registry.requests.length;
  const changed = await image("console.log(2)\n", true);
  const { uploaded } = await push("web", changed);
  expect(uploaded).toBe((changed.layers[1]?.size ?? 0) + changed.config.byteLength + changed.manifest.byteLength);
  expect(requestsTo(/ \/v2\/distroless.*blobs/)).toEqual(["GET /v2/distroless/nodejs24-debian12/blobs/sha256:…"]);
  expect(requestsTo(/^PUT/)).toEqual([
    "PUT /v2/demo-fw/fw/shop-prod/blobs/uploads/…",
    "PUT /v2/demo-fw/fw/shop-prod/blobs/uploads/…",
    "PUT /v2/demo-fw/fw/shop-prod/manifests/web",
  ]);
});

test("a base that was fetched is read from the disk, without asking anybody", async () => {
  await image();
  requestCount = fake.apis.registry.requests.length;
  const again = await image();
  expect(requestsTo()).toEqual([]);
  expect(again.layers).toHaveLength(2);
});

test("services that are pushed together send what they share once", async () => {
  const to = `${repository}-together`;
  const [a, b] = [await image("a"), await image("b")];
  writeFileSync(join(directory, "main.js"), "a");
  const registries = own();
  const first = await push("a", a, registries, to);
  writeFileSync(join(directory, "main.js"), "b");
  await push("b", b, registries, to);
  expect(first.uploaded).toBeGreaterThan(0);
  expect(requestsTo(/^POST .*together/)).toHaveLength(5);
});

test("a registry that fails for a moment is asked again", async () => {
  const changed = await image("console.log(3)\n");
  for (const fault of [503, "reset", 500, 429] as const) fake.apis.registry.failures.push({ fault });
  const { uploaded } = await push("web", changed);
  expect(uploaded).toBeGreaterThan(0);
  expect(fake.apis.registry.failures).toEqual([]);
  expect(await push("web", changed)).toMatchObject({ uploaded: 0 });
});

test("an upload whose answer was lost is over, and not made twice", async () => {
  const changed = await image("console.log(3.5)\n");
  const { registry } = fake.apis;
  const begin = requestsTo(/^POST/).length;
  registry.failures.push({ fault: "lost answer", on: /^PUT .*uploads/ });
  const { uploaded } = await push("web", changed);
  expect(uploaded).toBeGreaterThan(0);
  expect(requestsTo(/^POST/).length - begin).toBe(2);
  expect(registry.failures).toEqual([]);
  expect(await push("web", changed)).toMatchObject({ uploaded: 0 });
});

test("who may not push, or has no repository, is told so in the registry's words", async () => {
  const what = await image("console.log(4)\n");
  const refusal = async (to: string, as?: string): Promise<string> =>
    push("web", what, own(as), to).then(
      () => "pushed",
      (error: unknown) => (error as Error).message,
    );
  expect(await refusal(repository, "eve@demo-fw.iam.gserviceaccount.com")).toBe(
    'GET europe-west1-docker.pkg.dev/v2/demo-fw/fw/shop-prod/manifests/web: 403 PERMISSION_DENIED: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource "projects/demo-fw/locations/europe-west1/repositories/fw" (or it may not exist)',
  );
  expect(await refusal("europe-west1-docker.pkg.dev/demo-fw/none/shop")).toBe(
    `POST europe-west1-docker.pkg.dev/v2/demo-fw/none/shop/blobs/uploads/: 404 NOT_FOUND: Repository "none" not found`,
  );
});

test("a base has to be pinned, to be there, to be for linux/amd64, and to be what its digest says", async () => {
  const refusal = async (text: string): Promise<string> =>
    readBase(text, anonymous(), new BlobCache(mkdtempSync(join(directory, "..", "fw-cache-")))).then(
      () => "read",
      (error: unknown) => (error as Error).message,
    );
  expect(await refusal("node:24-slim")).toContain("needs a registry and a digest");
  expect(await refusal(`gcr.io/a/b@sha256:${"a".repeat(64)}`)).toContain(
    "the registry gcr.io has no a/b with manifests/",
  );
  const { registry } = fake.apis;
  const index = { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: [] };
  const empty = registry.publish("gcr.io/a/b", Buffer.from(JSON.stringify(index)), []);
  expect(await refusal(empty)).toContain("has no variant for linux/amd64");
  const wrong = `sha256:${"b".repeat(64)}`;
  registry.answerWith(`gcr.io/a/b@${wrong}`, Buffer.from("{}"));
  expect(await refusal(`gcr.io/a/b@${wrong}`)).toMatch(
    /^the registry returned sha256:[0-9a-f]{64} instead of sha256:b/,
  );
});
