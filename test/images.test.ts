import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startFakeCloud, type FakeCloud } from "../packages/fake-cloud/src/index.ts";
import { unpack } from "../packages/fake-cloud/src/registry/unpack.ts";
import { linkedBase, publishBase } from "../packages/fw/src/deploy/image/testing/base.ts";
import { bin, startNode } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";

const files = {
  "web/web.ts": `import { API, Site } from "fw";
export const site = Site("site");
export const hello = API("GET /hello", () => ({ hello: "image" }));
`,
  "web/site/index.html": "<h1>from the image</h1>",
  "mail/mail.ts": `import { Queue, Worker } from "fw";
export const mails = Queue<{ to: string }>("mails");
export const send = Worker(mails, () => {});
`,
};

interface Descriptor {
  readonly digest: string;
  readonly annotations: Readonly<Record<string, string>>;
}

let root: string;
let cache: string;
let fake: FakeCloud;
let env: Record<string, string>;

beforeAll(async () => {
  root = writeApplication(files);
  cache = mkdtempSync(join(tmpdir(), "fw-cache-"));
  fake = await startFakeCloud();
  const reference = await publishBase(fake, await linkedBase());
  env = { PATH: process.env["PATH"] ?? "", ...fake.env, FW_BASE_IMAGE: reference, XDG_CACHE_HOME: cache };
});
afterAll(async () => {
  await fake.stop();
  for (const directory of [root, cache]) rmSync(directory, { recursive: true });
});

const blob = (digest: string): Buffer => readFileSync(join(root, ".fw/images/blobs", digest.replace(":", "/")));

test("fw build --docker writes an image of each service, which answers from what it holds alone", async () => {
  const built = await promisify(execFile)(process.execPath, [bin, "build", "--docker"], { cwd: root, env });
  const { manifests } = JSON.parse(readFileSync(join(root, ".fw/images/index.json"), "utf8")) as {
    manifests: Descriptor[];
  };
  const names = manifests.map(({ annotations }) => annotations["org.opencontainers.image.ref.name"]);
  expect(names).toEqual(["mail-send", "web"]);
  for (const [at, { digest }] of manifests.entries())
    expect(built.stdout).toContain(`oci:.fw/images:${names[at]} ${digest}\n`);

  const { config, layers } = JSON.parse(blob(manifests[1]?.digest ?? "").toString()) as {
    config: Descriptor;
    layers: Descriptor[];
  };
  const { Entrypoint, Cmd } = (JSON.parse(blob(config.digest).toString()) as { config: Record<string, string[]> })
    .config;
  expect([Entrypoint, Cmd]).toEqual([["/nodejs/bin/node"], ["--enable-source-maps", "/app/main.js"]]);
  const place = join(cache, "unpacked");
  for (const { digest } of layers) await unpack(blob(digest), place);
  await using web = await startNode(join(place, "app/main.js"), { node: join(place, "nodejs/bin/node") });
  expect(await (await fetch(`${web.url}/hello`)).json()).toEqual({ hello: "image" });
  expect(await (await fetch(`${web.url}/`)).text()).toBe("<h1>from the image</h1>");

  const asked = fake.apis.registry.requests.length;
  const again = await promisify(execFile)(process.execPath, [bin, "build", "--docker"], { cwd: root, env });
  const images = (text: string): readonly string[] => text.split("\n").filter((line) => line.startsWith("oci:"));
  expect(images(again.stdout)).toEqual(images(built.stdout));
  expect(fake.apis.registry.requests.length).toBe(asked);
});

test("a base that is not pinned is refused with what to write instead", async () => {
  const attempt = promisify(execFile)(process.execPath, [bin, "build", "--docker"], {
    cwd: root,
    env: { ...env, FW_BASE_IMAGE: "node:24-slim" },
  });
  await expect(attempt).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the base image node:24-slim needs a registry and a digest, such as"),
  });
});
