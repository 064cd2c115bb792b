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

/** The module of Kubernetes' types that declares each kind. */
const kubernetesModules: Readonly<Record<string, string>> = {
  Service: "core/v1",
  ServiceAccount: "core/v1",
  Deployment: "apps/v1",
  HorizontalPodAutoscaler: "autoscaling/v2",
  PodDisruptionBudget: "policy/v1",
  NetworkPolicy: "networking/v1",
  Job: "batch/v1",
  Ingress: "networking/v1",
};

/** Checks resources against Kubernetes' types. Returns TypeScript's errors; "" if there are none. */
async function typeErrors(resources: readonly { readonly kind: string }[]): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "fw-kubernetes-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const types = dirname(createRequire(import.meta.url).resolve("kubernetes-types/package.json"));
  const source = resources.map((each, i) => {
    const type = `import("${types}/${kubernetesModules[each.kind]}").${each.kind}`;
    return `export const resource${i}: ${type} = ${JSON.stringify(each)};`;
  });
  const file = join(directory, "resources.ts");
  writeFileSync(file, source.join("\n"));
  const tsc = createRequire(import.meta.url).resolve("typescript/package.json");
  const args = [join(dirname(tsc), "bin/tsc"), "--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", file];
  return promisify(execFile)(process.execPath, args).then(
    () => "",
    ({ stdout = "" }: { readonly stdout?: string }) => stdout,
  );
}

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

  test("does not mention Garage if the objects are in another store", async () => {
    const url = "s3://photos?region=auto&endpoint=https://fly.storage.tigris.dev&prefix=$HOME";
    const { code, out } = await fw(shopApp.root, "gen", "compose", "--objects", url);
    const file = parse(out) as ComposeFile;
    isComposeFile(file);
    expect([code, isComposeFile.errors]).toEqual([0, null]);
    expect(out).not.toMatch(/garage/i);
    expect(out).toContain("AWS_SECRET_ACCESS_KEY=...");
    expect(file.services["app-2"]?.environment).toMatchObject({
      FW_OBJECTS: url.replace("$", "$$$$"),
      AWS_ACCESS_KEY_ID: "${AWS_ACCESS_KEY_ID:?write AWS_ACCESS_KEY_ID into .env}",
    });
    const { code: refused, err } = await fw(shopApp.root, "gen", "compose", "--objects", "/mnt/objects");
    expect([refused, err]).toEqual([2, expect.stringContaining('not "/mnt/objects"')]);
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
    const all = [...(await resources(shopApp.root, ...objects)).values()];
    const kinds = [
      "Deployment",
      "HorizontalPodAutoscaler",
      "Ingress",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
    ];
    expect(all.map(({ kind }) => kind).toSorted()).toEqual(kinds);
    expect(await typeErrors(all)).toBe("");
    const misspelled = JSON.parse(JSON.stringify(all).replaceAll("readinessProbe", "readyProbe")) as typeof all;
    expect(await typeErrors(misspelled)).toContain("readyProbe");
  });

  test("scales, and limits memory, as the declarations say", async () => {
    const pinned = await resources(shopApp.root, ...objects);
    expect(pinned.get("HorizontalPodAutoscaler")?.spec).toMatchObject({ minReplicas: 3, maxReplicas: 12 });
    // Two services with a gibibyte each, plus fw serve.
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
    [image, "missing option --objects"],
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

describe("fw gen kubernetes --services", () => {
  const market = `
-- package.json --
{ "name": "market" }
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }
-- web/web.ts --
import { API, Service, type Path } from "fw";
import { order } from "../orders/orders.ts";
export const site = Service({ domain: "market.example.com", traffic: { minInstances: 3, maxInstances: 5 } });
export const show = API("GET /orders/{id}", (ctx, { id }: { id: Path }) => order.call(ctx, { id }));
-- orders/orders.ts --
import { API, Bucket, Queue, Secret, Singleton, Worker, type Path } from "fw";
export const invoices = Bucket("invoices");
export const placed = Queue<string>("placed");
export const mailKey = Secret("MAIL_KEY");
export const order = API("GET /order/{id}", async (ctx, { id }: { id: Path }) => {
  await placed.send(ctx, id);
  await invoices.delete(ctx, id);
  return { id };
}, { private: true });
export const sendMail = Worker(placed, (ctx, id) => ctx.log.info(mailKey.value(), { id }));
export const watch = Singleton("watch", async () => {});
`;
  let app: typeof shopApp;
  beforeAll(async () => void (app = await writeTypedApp(market)));
  afterAll(() => app[Symbol.asyncDispose]());
  const options = ["--services", "--objects", "s3://invoices?endpoint=http://minio.storage:9000"];

  interface DeploymentSpec {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly command: readonly string[]; readonly env: readonly Variable[] }];
      };
    };
  }

  interface JobSpec {
    readonly template: {
      readonly spec: DeploymentSpec["template"]["spec"] & {
        readonly volumes: readonly {
          readonly projected?: {
            readonly sources: readonly {
              readonly secret: { readonly name: string; readonly items: readonly { readonly path: string }[] };
            }[];
          };
        }[];
      };
    };
  }

  interface Variable {
    readonly name: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string } };
  }

  interface PolicySpec extends Readonly<Record<"ingress" | "egress", readonly Rule[]>> {}

  interface Rule {
    readonly from?: readonly Peer[];
    readonly to?: readonly Peer[];
    readonly ports: readonly { readonly port: number }[];
  }

  interface Peer {
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  }

  interface NamedResource {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly spec: Readonly<Record<string, unknown>>;
  }

  let all: readonly NamedResource[];
  beforeAll(async () => {
    const egress = ["--egress", "orders-sendMail=587", "--egress", "8443"];
    const { code, out, err } = await fw(app.root, "gen", "kubernetes", ...image, ...options, ...egress);
    expect([code, err.includes("fw:")]).toEqual([0, false]);
    all = parseAllDocuments(out).map((document) => document.toJS() as NamedResource);
  });

  test("gives each service the resources that it needs, and Kubernetes knows all of their fields", async () => {
    const lines = all.map(({ kind, metadata }) => `${metadata.name} ${kind}`);
    const kinds = [
      "ServiceAccount",
      "Service",
      "Deployment",
      "HorizontalPodAutoscaler",
      "PodDisruptionBudget",
      "NetworkPolicy",
    ];
    const withKinds = (name: string, ...without: readonly string[]): readonly string[] =>
      kinds.filter((kind) => !without.includes(kind)).map((kind) => `${name} ${kind}`);
    const [job, ...others] = lines.filter((line) => line.endsWith(" Job") || !line.startsWith("market--migrate"));
    expect(job).toMatch(/^market--migrate-[0-9a-f]{8} Job$/);
    expect(others).toEqual([
      ...withKinds("market"),
      ...withKinds("market-orders"),
      ...withKinds("market-orders-sendmail", "Service"),
      ...withKinds("market-orders-watch", "Service", "HorizontalPodAutoscaler"),
      ...withKinds("market-web-site"),
      "market Ingress",
    ]);
    expect(await typeErrors(all)).toBe("");
  });

  /** Returns the variable's name, preceded by the name of the Secret that holds its value, if any. */
  const sourceOf = ({ name, valueFrom }: Variable): string => [valueFrom?.secretKeyRef.name, name].join(" ").trim();

  test("only the job has the role that owns the tables, and sets the passwords of the others", async () => {
    const job = all.find(({ kind }) => kind === "Job") as NamedResource;
    const { template } = job.spec as unknown as JobSpec;
    const [{ command, env }] = template.spec.containers;
    expect(command.slice(2)).toEqual(["serve", "build", "--migrate", "--data", "/data", "--role-passwords", "/roles"]);
    expect(env.map(sourceOf)).toEqual(["market-owner FW_DATABASE"]);
    const sources = template.spec.volumes.flatMap(({ projected }) => projected?.sources ?? []);
    expect(sources.map(({ secret: { name, items } }) => [name, ...items.map(({ path }) => path)])).toEqual([
      ["market-database", "market-front"],
      ["market-orders-database", "market_orders-server"],
      ["market-orders-sendmail-database", "market_orders_sendmail-server"],
      ["market-orders-watch-database", "market_orders_watch-server"],
      ["market-web-site-database", "market_web_site-server"],
    ]);
    const others = all.filter(({ kind }) => kind !== "Job");
    expect(JSON.stringify(others)).not.toContain("market-owner");
    const policy = all.find(({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name === "market--migrate");
    expect(policy?.spec).toMatchObject({
      ingress: [],
      egress: [{ ports: [{ port: 53 }, { port: 53 }, { port: 5432 }] }],
    });
  });

  test("another image is another job, because Kubernetes changes no template of a job", async () => {
    const nameOf = async (tag: string): Promise<string | undefined> => {
      const { out } = await fw(app.root, "gen", "kubernetes", "--image", `market:${tag}`, ...options);
      return /name: "?(market--migrate-[0-9a-f]{8})/.exec(out)?.[1];
    };
    const names = [await nameOf("1"), await nameOf("1"), await nameOf("2")];
    expect(names[0]).toBe(names[1]);
    expect(names[2]).not.toBe(names[0]);
  });

  test("pods have the secrets of their service only, and run it only", async () => {
    const deployments = all.filter(({ kind }) => kind === "Deployment");
    const containers = deployments.map(({ metadata, spec }) => {
      const { template } = spec as unknown as DeploymentSpec;
      const [{ command, env }] = template.spec.containers;
      return [
        metadata.name.replace(/^market-?/, ""),
        command.slice(command.indexOf("5") + 1, command.indexOf("5") + 3).join(" "),
        env.map(sourceOf),
      ];
    });
    expect(containers).toEqual([
      ["", "--front --trust-proxy", ["market-database FW_DATABASE", "FW_SERVICE_ADDRESS"]],
      [
        "orders",
        "--service orders",
        [
          "market-orders-database FW_DATABASE",
          "market AWS_ACCESS_KEY_ID",
          "market AWS_SECRET_ACCESS_KEY",
          "FW_OBJECTS",
          "market-orders FW_SERVICE_DATABASE",
        ],
      ],
      [
        "orders-sendmail",
        "--service orders-sendMail",
        [
          "market-orders-sendmail-database FW_DATABASE",
          "market MAIL_KEY",
          "market-orders-sendmail FW_SERVICE_DATABASE",
        ],
      ],
      [
        "orders-watch",
        "--service orders-watch",
        ["market-orders-watch-database FW_DATABASE", "market-orders-watch FW_SERVICE_DATABASE"],
      ],
      [
        "web-site",
        "--service web-site",
        ["market-web-site-database FW_DATABASE", "market-web-site FW_SERVICE_DATABASE", "FW_SERVICE_ADDRESS"],
      ],
    ]);
  });

  test("only callers reach a service, which reaches the services that it calls, its data and DNS", async () => {
    const policies = all.filter(
      ({ kind, metadata }) => kind === "NetworkPolicy" && metadata.name !== "market--migrate",
    );
    const peersOf = (rules: PolicySpec["ingress"]): unknown =>
      rules.map(({ from, to, ports }) => [
        (from ?? to)?.map(({ podSelector }) => podSelector.matchLabels["app.kubernetes.io/name"]) ?? "anywhere",
        [...new Set(ports.map(({ port }) => port))],
      ]);
    const rules = policies.map(({ metadata, spec }) => {
      const { ingress, egress } = spec as unknown as PolicySpec;
      return [metadata.name, peersOf(ingress), peersOf(egress)];
    });
    const data = ["anywhere", [53, 5432, 8443]];
    expect(rules).toEqual([
      ["market", [["anywhere", [8080]]], [data, [["market-orders", "market-web-site"], [8080]]]],
      ["market-orders", [[["market", "market-web-site"], [8080]]], [["anywhere", [53, 5432, 8443, 9000]]]],
      ["market-orders-sendmail", [], [["anywhere", [53, 587, 5432, 8443]]]],
      ["market-orders-watch", [], [data]],
      ["market-web-site", [[["market"], [8080]]], [data, [["market-orders"], [8080]]]],
    ]);
  });

  test("scales each service as its declarations say", async () => {
    const scaled = all.filter(({ kind }) => kind === "HorizontalPodAutoscaler");
    expect(scaled.map(({ metadata, spec }) => [metadata.name, spec["minReplicas"], spec["maxReplicas"]])).toEqual([
      ["market", 3, 5],
      ["market-orders", 2, 8],
      ["market-orders-sendmail", 1, 8],
      ["market-web-site", 3, 5],
    ]);
  });

  test.each([
    [["--egress", "order=443"], 'no service is named "order"; did you mean "orders"?'],
    [["--egress", "orders=http"], '"--egress" must be a port, not "http"'],
  ])("refuses %j in a sentence", async (more, sentence) => {
    const { code, err } = await fw(app.root, "gen", "kubernetes", ...image, ...options, ...more);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
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
