import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { writeTypedApp } from "../analysis/testing/typed-app.ts";
import { kubernetesFile, kubernetesResources } from "../generate/hosting/kubernetes.ts";
import { yamlOf, type Yaml } from "../generate/hosting/yaml.ts";
import { fw } from "./testing/run.ts";

const shop = `
-- package.json --
{ "name": "@acme/Photo Shop" }
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }
-- shop/shop.ts --
import { API, Auth, Bucket, Queue, Secret, Service, Worker } from "fw";
export const auth = Auth({ social: true });
export const service = Service({ domain: "shop.example.com", footprint: { memory: "1Gi" }, traffic: { minInstances: 3, maxInstances: 12 } });
export const photos = Bucket("photos");
export const mailKey = Secret("MAIL_KEY");
export const mails = Queue<string>("mails");
export const send = Worker(mails, async (ctx, to) => { ctx.log.info(mailKey.value(), { to }); });
export const list = API("GET /photos", async (ctx): Promise<string[]> => {
  await mails.send(ctx, "ada@example.com");
  const keys: string[] = [];
  for await (const { key } of photos.list(ctx)) keys.push(key);
  return keys;
});
`;

const plain = `
-- package.json --
{ "name": "plain" }
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }
-- plain/plain.ts --
import { API } from "fw";
export const hello = API("GET /hello", () => "hello");
`;

let shopApp: Awaited<ReturnType<typeof writeTypedApp>>;
let plainApp: typeof shopApp;
beforeAll(async () => void ([shopApp, plainApp] = await Promise.all([writeTypedApp(shop), writeTypedApp(plain)])));
afterAll(() => Promise.all([shopApp, plainApp].map((app) => app[Symbol.asyncDispose]())));

const image = ["--image", "registry.example.com/shop:1"];

describe("fw gen compose", () => {
  const schema = JSON.parse(
    readFileSync(new URL("../../test-data/schemas/compose-spec.json", import.meta.url), "utf8"),
  ) as { $schema?: string };
  const isComposeFile = new Ajv({ strict: false, validateFormats: false }).compile({ ...schema, $schema: undefined });

  interface ComposeFile {
    readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>;
    readonly volumes: object;
    readonly configs?: Readonly<Record<string, { readonly content: string }>>;
  }

  test.each([
    ["an application with buckets and secrets", (): string => shopApp.root],
    ["an application without", (): string => plainApp.root],
  ])("is a compose file for %s", async (_, root) => {
    const { code, out } = await fw(root(), "gen", "compose");
    const file = parse(out) as ComposeFile;
    isComposeFile(file);
    expect([code, isComposeFile.errors]).toEqual([0, null]);
  });

  test("has what the declarations need and nothing else", async () => {
    const [needs, bare] = await Promise.all(
      [shopApp.root, plainApp.root].map(async (root) => parse((await fw(root, "gen", "compose")).out) as ComposeFile),
    );
    expect(Object.keys(needs?.services ?? {})).toEqual(["postgres", "garage", "app-1", "app-2", "caddy"]);
    expect(needs?.services["app-2"]?.environment).toEqual({
      FW_DATABASE: expect.stringMatching(
        /^postgres:\/\/acme-photo-shop:\$\{POSTGRES_PASSWORD:\?.*\}@postgres:5432\//,
      ) as unknown,
      FW_OBJECTS: "s3://acme-photo-shop?region=garage&endpoint=http://garage:3900",
      AWS_ACCESS_KEY_ID: "${AWS_ACCESS_KEY_ID:?write AWS_ACCESS_KEY_ID into .env}",
      AWS_SECRET_ACCESS_KEY: "${AWS_SECRET_ACCESS_KEY:?write AWS_SECRET_ACCESS_KEY into .env}",
      FW_OIDC_ISSUER: "${FW_OIDC_ISSUER:?write FW_OIDC_ISSUER into .env}",
      FW_OIDC_CLIENT_ID: "${FW_OIDC_CLIENT_ID:?write FW_OIDC_CLIENT_ID into .env}",
      FW_OIDC_CLIENT_SECRET: "${FW_OIDC_CLIENT_SECRET:?write FW_OIDC_CLIENT_SECRET into .env}",
      MAIL_KEY: "${MAIL_KEY:?write MAIL_KEY into .env}",
    });
    expect(Object.keys(bare?.services ?? {})).toEqual(["postgres", "app-1", "app-2", "caddy"]);
    expect(Object.keys(bare?.services["app-1"]?.environment ?? {})).toEqual(["FW_DATABASE"]);
  });

  test.skipIf(spawnSync("caddy", ["version"]).status !== 0)("configures Caddy as Caddy reads it", async () => {
    const { configs } = parse((await fw(plainApp.root, "gen", "compose")).out) as ComposeFile;
    const caddyfile = configs?.["caddyfile"]?.content ?? "";
    for (const domain of ["localhost", "notes.example.com"]) {
      const path = join(mkdtempSync(join(tmpdir(), "fw-caddyfile-")), "Caddyfile");
      onTestFinished(() => rmSync(dirname(path), { recursive: true }));
      writeFileSync(path, caddyfile.replace("${DOMAIN:-localhost}", domain));
      const { status, stderr, stdout } = spawnSync("caddy", ["adapt", "--config", path], { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, expect.not.stringContaining("WARN")]);
      expect(stdout).toContain(domain);
      expect(stdout).toContain(`"dial":"app-2:8080"`);
    }
  });

  test("names packages that the image would miss", async () => {
    expect((await fw(shopApp.root, "gen", "compose")).err).toMatch(/npm install pg@8 aws4fetch@1 oauth4webapi@3|^$/);
  });
});

describe("fw gen kubernetes", () => {
  const objects = ["--objects", "s3://photos?endpoint=http://minio.storage:9000"];

  interface Resource {
    readonly kind: string;
    readonly spec: Readonly<Record<string, unknown>>;
  }

  async function resources(root: string, ...options: readonly string[]): Promise<ReadonlyMap<string, Resource>> {
    const { code, out, err } = await fw(root, "gen", "kubernetes", ...image, ...options);
    expect([code, err.includes("fw:")]).toEqual([0, false]);
    const documents = parseAllDocuments(out).map((document) => document.toJS() as Resource);
    return new Map(documents.map((document) => [document.kind, document]));
  }

  test("has only fields that Kubernetes has, each of its type", async () => {
    const directory = mkdtempSync(join(tmpdir(), "fw-kubernetes-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const all = [...(await resources(shopApp.root, ...objects)).values()];
    const types = dirname(createRequire(import.meta.url).resolve("kubernetes-types/package.json"));
    const modules: Readonly<Record<string, string>> = {
      Service: "core/v1",
      Deployment: "apps/v1",
      HorizontalPodAutoscaler: "autoscaling/v2",
      PodDisruptionBudget: "policy/v1",
      NetworkPolicy: "networking/v1",
      Ingress: "networking/v1",
    };
    expect(all.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(modules).toSorted());
    const source = all.map(({ kind, ...rest }) => {
      const type = `import("${types}/${modules[kind]}").${kind}`;
      return `export const a${kind}: ${type} = ${JSON.stringify({ kind, ...rest })};`;
    });
    const compile = async (text: string): Promise<string> => {
      const file = join(directory, "resources.ts");
      writeFileSync(file, text);
      const tsc = createRequire(import.meta.url).resolve("typescript/package.json");
      const args = [join(dirname(tsc), "bin/tsc"), "--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", file];
      return promisify(execFile)(process.execPath, args).then(
        () => "",
        ({ stdout = "" }: { readonly stdout?: string }) => stdout,
      );
    };
    expect(await compile(source.join("\n"))).toBe("");
    expect(await compile(source.join("\n").replaceAll("readinessProbe", "readyProbe"))).toContain("readyProbe");
  });

  test("scales, and limits memory, as the declarations say", async () => {
    const pinned = await resources(shopApp.root, ...objects);
    expect(pinned.get("HorizontalPodAutoscaler")?.spec).toMatchObject({ minReplicas: 3, maxReplicas: 12 });
    // Two services of a gibibyte, and fw serve.
    expect(JSON.stringify(pinned.get("Deployment"))).toContain('"limits":{"memory":"2240Mi"}');
    const bare = await resources(plainApp.root);
    expect(bare.get("HorizontalPodAutoscaler")?.spec).toMatchObject({ minReplicas: 2, maxReplicas: 8 });
    expect([...bare.keys()]).not.toContain("Ingress");
  });

  test("opens the ports that pods need and no others", async () => {
    const policy = (await resources(shopApp.root, ...objects, "--egress", "587")).get("NetworkPolicy");
    expect(policy?.spec).toMatchObject({ ingress: [{ ports: [{ port: 8080 }] }], policyTypes: ["Ingress", "Egress"] });
    const [{ ports }] = (policy?.spec["egress"] ?? []) as [{ ports: readonly { readonly port: number }[] }];
    expect(ports.map(({ port }) => port)).toEqual([53, 53, 443, 587, 5432, 9000]);
  });

  test.each([
    [[], "missing option --image"],
    [image, "the application has buckets: say where objects are with --objects"],
    [[...image, ...objects, "--egress", "http"], '"--egress" must be a port, not "http"'],
  ])("refuses %j in a sentence", async (options, sentence) => {
    const { code, err } = await fw(shopApp.root, "gen", "kubernetes", ...options);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });

  test("one file has the same resources as one by one", () => {
    const needs = {
      name: "a",
      services: ["a"],
      secrets: [],
      hasBuckets: false,
      hasSocial: false,
      domains: [],
      memory: 700,
      cpu: 1,
      machines: { least: 2, most: 8 },
    };
    const settings = { image: "a:1", objects: undefined, egress: [] };
    const documents = parseAllDocuments(kubernetesFile(needs, settings)).map((document) => document.toJS() as unknown);
    expect(documents).toEqual(JSON.parse(JSON.stringify(kubernetesResources(needs, settings))));
  });
});

test("YAML is read as what was written, whatever the texts are", () => {
  const texts = [
    "yes",
    "No",
    "~",
    "null",
    "1",
    "1e3",
    "0x1",
    "",
    " a",
    "a: b",
    "- a",
    "#",
    "a #b",
    "é",
    '"',
    "a\nb",
    "a\nb\n",
    "\n",
    "\n\n",
    " a\n",
    "${A:?b}",
    "*",
    "&a",
    "!x",
    "2026-01-01",
    "a/b.c-d",
  ];
  const value: Yaml = {
    list: texts,
    map: Object.fromEntries(texts.map((text) => [text, text])),
    deep: [[1, [true]], [{ a: [], b: {} }]],
  };
  expect(parse(yamlOf(value))).toEqual(value);
});
