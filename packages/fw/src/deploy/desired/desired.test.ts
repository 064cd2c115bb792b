import { expect, test } from "vitest";
import type { Fields } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { declaredShop } from "../testing/shop.ts";
import { desired } from "./desired.ts";

const resources = desired(declaredShop);
const golden = "../testing/golden";

test("every resource of an application with one of everything is as it was decided", async () => {
  const others = resources
    .filter(({ kind }) => kind !== "grants")
    .map(({ kind, id, owns, spec }) => ({ kind, id, owns, spec }));
  await expect(`${JSON.stringify(others, undefined, 1)}\n`).toMatchFileSnapshot(`${golden}/resources.json.txt`);
});

test("every service has an account of its own, with the least grants that its uses take", async () => {
  const lines = resources.filter(({ kind }) => kind === "grants").flatMap(grantLines);
  await expect(`${lines.toSorted().join("\n")}\n`).toMatchFileSnapshot(`${golden}/grants.txt`);
});

test("nothing is granted on the project but what Google has no smaller resource for", () => {
  const project = resources.find(({ id }) => id.startsWith("//cloudresourcemanager."));
  const roles = new Set(bindingsOf(project).map(({ role }) => role));
  expect([...roles].toSorted()).toEqual([
    "roles/datastore.user",
    "roles/datastore.viewer",
    "roles/firebaseauth.viewer",
    "roles/monitoring.metricWriter",
  ]);
  const documents = bindingsOf(project).filter(({ role }) => role.startsWith("roles/datastore."));
  expect(documents.every(({ condition }) => condition?.expression.includes("databases/shop-test"))).toBe(true);
});

test("a bucket has uniform access, and takes requests from pages of the application alone", () => {
  const bucket = resources.find(({ id }) => id === "demo-fw-shop-test-photos");
  expect(bucket?.spec).toMatchObject({
    iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: "enforced" },
    cors: [{ origin: ["https://shop-test-web-123456789012.europe-west1.run.app", "https://shop.example.com"] }],
  });
});

test("a secret is mounted from the secret store, by the name of its environment", () => {
  expect(environmentOf("web")).toContainEqual({
    name: "MAIL_KEY",
    valueSource: { secretKeyRef: { secret: "test-MAIL_KEY", version: "latest" } },
  });
});

test("a service with forms that keeps no data has no key for them in its template", () => {
  expect(environmentOf("desk").map(({ name }) => name)).toEqual([
    "FW_ENV",
    "FW_PROJECT",
    "FW_PROJECT_NUMBER",
    "FW_REGION",
    "FW_AUTH_APIKEY",
    "FW_AUTH_DOMAIN",
  ]);
});

test("what is derived is the same whatever order services are in", () => {
  const manifest = { ...declaredShop.manifest, services: declaredShop.manifest.services.toReversed() };
  const texts = (all: readonly Resource[]): string[] =>
    all.map((each) => JSON.stringify({ ...each, deps: each.deps.toSorted() })).toSorted();
  expect(texts(desired({ ...declaredShop, manifest }))).toEqual(texts(resources));
});

interface Template {
  readonly containers: readonly { readonly env: readonly Fields[] }[];
}

interface Binding {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: { readonly expression: string };
}

function bindingsOf(resource: Resource | undefined): readonly Binding[] {
  return (resource?.spec["bindings"] ?? []) as unknown as readonly Binding[];
}

function grantLines(resource: Resource): readonly string[] {
  return bindingsOf(resource).flatMap(({ role, members, condition }) =>
    members.map((member) => `${member} ${role} on ${resource.id}${condition ? ` if ${condition.expression}` : ""}`),
  );
}

function environmentOf(service: string): readonly Fields[] {
  const found = resources.find(({ kind, title }) => kind === "service" && title === `service ${service}`);
  const template = found?.spec["template"] as unknown as Template | undefined;
  return template?.containers[0]?.env ?? [];
}
