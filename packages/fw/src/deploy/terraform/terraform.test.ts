import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { desired } from "../desired/desired.ts";
import { placeholders } from "../placeholders.ts";
import { randomManifest } from "../testing/random-manifest.ts";
import { Seeded } from "../testing/random.ts";
import { declaredShop } from "../testing/shop.ts";
import { format, parse } from "./testing/hashicorp.ts";
import { terraformOf, unknownNumber } from "./terraform.ts";

const seeds = Array.from({ length: Number(process.env["FW_TRIES"] ?? 1) * 5 }, (_, at) => at + 1);

test("what a deploy makes of an application with one of everything is written for Terraform", async () => {
  await expect(writtenFor(declaredShop.manifest)).toMatchFileSnapshot("../testing/golden/main.tf.txt");
});

test("it is laid out as terraform fmt lays it out, and holds what the provider knows, with all that it requires", async () => {
  const text = writtenFor(declaredShop.manifest);
  expect(await format(text)).toBe(text);
  expect(await mistakesIn(text)).toEqual([]);
});

test("each resource waits for its API, and service agents are created before they are granted roles", async () => {
  const { resource, data } = await parsed(writtenFor(declaredShop.manifest));
  const depsOf = (type: string): string => JSON.stringify(Object.values(resource[type] ?? {}));
  expect(depsOf("google_artifact_registry_repository")).toContain("google_project_service.api_artifactregistry");
  expect(depsOf("google_firestore_database")).toContain("google_project_service.api_firestore");
  expect(depsOf("google_identity_platform_config")).toContain("google_project_service.api_identitytoolkit");
  expect(depsOf("google_project_service_identity")).toContain("google_project_service.api_pubsub");
  expect(JSON.stringify(data["google_storage_project_service_account"])).toContain(
    "google_project_service.api_storage",
  );
  const ground = JSON.stringify(resource["terraform_data"]?.["ground"]);
  expect(ground).toContain("google_project_service_identity.pubsub");
  expect(ground).toContain("data.google_storage_project_service_account.this");
});

test("the repository can be created before there are images", async () => {
  const { variable, resource } = await parsed(writtenFor(declaredShop.manifest));
  expect(variable["images"]?.[0]).toHaveProperty("default", {});
  const withoutImages = Object.entries(resource).filter(([type]) => !/cloud_run/.test(type));
  expect(JSON.stringify(withoutImages)).not.toContain("var.images");
});

test.each(seeds)("so it is for an application that could be (seed %i)", async (seed) => {
  const text = writtenFor(randomManifest(new Seeded(seed), 0.6));
  expect(await format(text)).toBe(text);
  expect(await mistakesIn(text)).toEqual([]);
});

test("a text of the application is a text there, whatever stands in it", async () => {
  const services = declaredShop.manifest.services.map((service) => ({
    ...service,
    crons: service.crons.map((cron) => ({ ...cron, timezone: 'a"b\\${c}%{d}\n' })),
  }));
  const text = writtenFor({ ...declaredShop.manifest, services });
  const { resource } = await parsed(text);
  const [job] = Object.values(resource["google_cloud_scheduler_job"] ?? {});
  expect(job?.[0]?.["time_zone"]).toBe('a"b\\$${c}%%{d}\n');
});

function writtenFor(manifest: typeof declaredShop.manifest): string {
  const place = { ...declaredShop.place, projectNumber: unknownNumber };
  const names = manifest.services.map(({ name }) => name);
  const images = Object.fromEntries(names.map((name) => [name, placeholders.image(name)]));
  return terraformOf(desired({ manifest, place, images }), place, names);
}

interface Block {
  readonly [name: string]: unknown;
}

type BlocksByType = Readonly<Record<string, Readonly<Record<string, readonly Block[]>>>>;

interface Parsed {
  readonly resource: BlocksByType;
  readonly data: BlocksByType;
  readonly variable: Readonly<Record<string, readonly Block[]>>;
}

async function parsed(text: string): Promise<Parsed> {
  return (await parse("main.tf", text)) as Parsed;
}

interface Schema {
  readonly attributes: Readonly<Record<string, string>>;
  readonly blocks: Readonly<Record<string, Schema & { readonly required?: boolean }>>;
}

const provider = JSON.parse(readFileSync(new URL("testing/google.json", import.meta.url), "utf8")) as {
  readonly resources: Readonly<Record<string, Schema>>;
};

/** Resources that `google.json` does not contain. */
const others: Readonly<Record<string, Schema>> = {
  terraform_data: { attributes: {}, blocks: {} },
  // Only the provider google-beta supports it.
  google_project_service_identity: { attributes: { provider: "string", service: "string!" }, blocks: {} },
  google_storage_project_service_account: { attributes: { project: "string" }, blocks: {} },
};

/** Lists the attributes that the provider would refuse, and references without a target. */
async function mistakesIn(text: string): Promise<readonly string[]> {
  const { resource, data } = await parsed(text);
  const mistakes: string[] = [];
  const there = new Set(["data.google_project.this"]);
  const each = (blocksByName: BlocksByType, prefix: string): void => {
    for (const [type, all] of Object.entries(blocksByName))
      for (const [name, [block = {}]] of Object.entries(all)) {
        const address = `${prefix}${type}.${name}`;
        there.add(address);
        const schema = provider.resources[`${prefix}${type}`] ?? others[type];
        if (schema) mistakes.push(...wrongIn(block, schema, address, true));
        else mistakes.push(`${address}: the provider has no ${type}`);
      }
  };
  each(resource, "");
  each(data, "data.");
  const blocksByName = /\b((?:data\.)?(?:google_\w+|terraform_data)\.\w+)/g;
  for (const [, address = ""] of text.replaceAll(/^#.*$/gm, "").matchAll(blocksByName))
    if (!there.has(address)) mistakes.push(`${address} is not there`);
  return mistakes;
}

function wrongIn(block: Block, { attributes, blocks }: Schema, at: string, isTop: boolean): readonly string[] {
  const lacking = [
    ...Object.keys(attributes).filter((name) => attributes[name]?.endsWith("!") === true),
    ...Object.keys(blocks).filter((name) => blocks[name]?.required === true),
  ].filter((name) => block[name] === undefined);
  const wrong = Object.entries(block).flatMap(([name, value]) => {
    if (isTop && name === "depends_on") return [];
    const inner = blocks[name];
    if (inner)
      return Array.isArray(value)
        ? value.flatMap((one) => wrongIn(one as Block, inner, `${at}.${name}`, false))
        : [`${at}.${name} is a block`];
    const type = attributes[name]?.replace("!", "");
    return type !== undefined && fits(value, type) ? [] : [`${at}.${name} is ${type ?? "not known"}`];
  });
  return [...lacking.map((name) => `${at} lacks ${name}`), ...wrong];
}

/** True if a value has the attribute's type, or is a reference such as `${google_pubsub_topic.orders.id}`. */
function fits(value: unknown, type: string): boolean {
  if (typeof value === "string" && /^\$\{.*\}$/.test(value)) return true;
  if (type === "stringMap") return typeof value === "object" && !Array.isArray(value);
  if (type === "stringList") return Array.isArray(value) && value.every((one) => typeof one === "string");
  return typeof value === type;
}
