import { expect, test } from "vitest";
import type { CloudRequest } from "../platform/gcp/rest/client.ts";
import { pathIn, shortName } from "./api-path.ts";
import type { ManifestConsumer } from "../build/manifest.ts";
import { currentPlan } from "./current-plan.ts";
import type { Fields } from "./fields.ts";
import { desired } from "./desired/desired.ts";
import { planOf } from "./plan.ts";
import type { Kind, Resource } from "./resource.ts";
import { deployOnce, imagesIn } from "./testing/deploys.ts";
import { shopProject, type TestProject } from "./testing/project.ts";
import { declaredShop } from "./testing/shop.ts";

const desiredResources = desired(declaredShop);
const images = imagesIn(desiredResources);

interface ByHand {
  /** The operation that the next deploy plans. */
  readonly op: "create" | "update";
  /** The suffix of the changed resource's id; any resource of its kind if absent. */
  readonly of?: string;
  readonly act: (resource: Resource, project: TestProject) => Promise<unknown>;
}

/** A case for each kind that `converge.test.ts` does not change. */
const byHand: Partial<Record<Kind, ByHand>> = {
  // Disabling an API also adds its resources to the plan; this API has none.
  api: {
    op: "create",
    of: "/iamcredentials.googleapis.com",
    act: async ({ id }, { fake }) => fake.cloud.switchedOn?.delete(shortName(id)),
  },
  grants: {
    op: "update",
    of: "/projects/demo-fw",
    act: async ({ id }, { fake }) => fake.grant(`serviceAccount:${webAccount}`, "roles/datastore.viewer", id),
  },
  // After a tile is dragged, Google stores the whole dashboard in a different form.
  dashboard: {
    op: "update",
    act: async (_, { fake }) => {
      for (const [name, live] of fake.apis.monitoring.dashboards) {
        const { columns, tiles = [] } = live.mosaicLayout ?? {};
        const mosaicLayout = { ...(columns !== undefined && { columns }), tiles: tiles.slice(1) };
        fake.apis.monitoring.dashboards.set(name, { ...live, mosaicLayout });
      }
    },
  },
  // The name contains a hash: an image can be missing but not different.
  image: { op: "create", act: async ({ id }, { pushed }) => pushed.delete(id) },
  // Immutable in Google's APIs, so these can be missing but not different.
  index: { op: "create", act: async (_, { fake }) => fake.apis.firestore.indexes.clear() },
  metric: {
    op: "create",
    act: ({ id }, { client }) => client.call({ api: "monitoring", method: "DELETE", path: pathIn("monitoring", id) }),
  },
  "sign-in": { op: "update", act: ({ id }, { client }) => client.call(withoutPasswords(id)) },
  "time-to-live": { op: "create", act: ({ id }, { client }) => client.call(withoutPolicy(id)) },
};

const webAccount = "shop-test-web@demo-fw.iam.gserviceaccount.com";

/** Runtime state and defaults, which no field of a declaration sets. */
const runningState: readonly (readonly [Kind, string, string, (resource: Resource) => CloudRequest])[] = [
  ["queue", "/shop-test-emails", "state", ({ id }) => posted("cloudtasks", `${id}:pause`)],
  ["queue", "/shop-test-emails", "rateLimits.maxConcurrentDispatches", ({ id }) => limited(id)],
  ["schedule", "", "state", ({ id }) => posted("cloudscheduler", `${id}:pause`)],
  [
    "service-account",
    "shop-test-web@demo-fw.iam.gserviceaccount.com",
    "disabled",
    ({ id }) => posted("iam", `${id}:disable`),
  ],
  ["service", "/shop-test-web", "template.scaling.maxInstanceCount", ({ id }) => fewerInstances(id)],
];

test.each(runningState)(
  "a %s (%s) whose %s an operator has changed is in the plan, and the next deploy mends it",
  async (kind, of, path, change) => {
    const project = await shopProject();
    expect((await deployOnce(project, desiredResources)).result).toBe("done");
    const one =
      desiredResources.find((resource) => resource.kind === kind && resource.id.endsWith(of)) ?? expect.fail(kind);
    await project.client.call(change(one));
    const { steps } = await planOf(desiredResources, project.open(undefined, images));
    const changes = steps.flatMap((step) => ("changes" in step ? step.changes : []));
    expect(changes.map((each) => each.path)).toContain(path);
    expect((await deployOnce(project, desiredResources)).result).toBe("done");
    expect((await deployOnce(project, desiredResources)).result).toBe("unchanged");
  },
);

test("a queue for which no limit is declared gets its default back", async () => {
  const project = await shopProject();
  const services = declaredShop.manifest.services.map((service) =>
    service.name === "web-send" && service.receives
      ? { ...service, receives: { ...service.receives, delivery: withoutLimit(service.receives.delivery) } }
      : service,
  );
  const unlimited = desired({ ...declaredShop, manifest: { ...declaredShop.manifest, services } });
  expect((await deployOnce(project, unlimited)).result).toBe("done");
  await project.client.call(limited("projects/demo-fw/locations/europe-west1/queues/shop-test-emails"));
  const { steps } = await planOf(unlimited, project.open(undefined, images));
  expect(steps.flatMap((step) => ("changes" in step ? step.changes : []))).toEqual([
    { path: "rateLimits.maxDispatchesPerSecond", from: 1, to: 500 },
    { path: "rateLimits.maxConcurrentDispatches", from: 1, to: 1000 },
  ]);
});

test("a plan with a webhook channel has nothing to do after a deploy, for every account", async () => {
  const project = await shopProject();
  expect((await deployOnce(project, desiredResources)).result).toBe("done");
  const { plan } = await currentPlan(desiredResources, project.open(undefined, images));
  expect(plan.steps.filter(({ op }) => op !== "noop")).toEqual([]);
});

test("everyone as a member of a private service or a bucket is a warning with the command that removes it", async () => {
  const project = await shopProject();
  expect((await deployOnce(project, desiredResources)).result).toBe("done");
  const service = "//run.googleapis.com/projects/demo-fw/locations/europe-west1/services/shop-test";
  project.fake.grant("allUsers", "roles/run.invoker", `${service}-desk`);
  project.fake.grant("allUsers", "roles/run.invoker", `${service}-web`);
  project.fake.grant(
    "allAuthenticatedUsers",
    "roles/storage.objectViewer",
    "//storage.googleapis.com/projects/_/buckets/demo-fw-shop-test-photos",
  );
  const { plan } = await deployOnce(project, desiredResources);
  expect(plan.exposed.toSorted((a, b) => (a.what < b.what ? -1 : 1))).toEqual([
    {
      what: "bucket photos",
      member: "allAuthenticatedUsers",
      role: "roles/storage.objectViewer",
      remove:
        "gcloud storage buckets remove-iam-policy-binding gs://demo-fw-shop-test-photos --member allAuthenticatedUsers --role roles/storage.objectViewer",
    },
    {
      what: "service desk",
      member: "allUsers",
      role: "roles/run.invoker",
      remove:
        "gcloud run services remove-iam-policy-binding shop-test-desk --region europe-west1 --project demo-fw --member allUsers --role roles/run.invoker",
    },
  ]);
});

test("a form key that an earlier deploy left in a template is removed by the next one", async () => {
  const project = await shopProject();
  expect((await deployOnce(project, desiredResources)).result).toBe("done");
  const desk = desiredResources.find(({ kind, id }) => kind === "service" && id.endsWith("-desk")) ?? expect.fail();
  const key = Buffer.alloc(32, 7).toString("base64");
  const live = (): Promise<Fields> =>
    project.client.call<Fields>({ api: "run", method: "GET", path: pathIn("run", desk.id) });
  const template = JSON.stringify((await live())["template"]).replace(
    `"env":[`,
    `"env":[{"name":"FW_CSRF_KEY","value":"${key}"},`,
  );
  await project.client.call({
    api: "run",
    method: "PATCH",
    path: pathIn("run", desk.id),
    query: { updateMask: "template" },
    body: { template: JSON.parse(template) as Fields },
  });
  expect(JSON.stringify((await live())["template"])).toContain(key);
  expect((await deployOnce(project, desiredResources)).result).toBe("done");
  expect(JSON.stringify((await live())["template"])).not.toContain("FW_CSRF_KEY");
  expect((await deployOnce(project, desiredResources)).result).toBe("unchanged");
});

function posted(api: CloudRequest["api"], id: string): CloudRequest {
  return { api, method: "POST", path: pathIn(api, id), body: {} };
}

function limited(id: string): CloudRequest {
  const body = { rateLimits: { maxDispatchesPerSecond: 1, maxConcurrentDispatches: 1 } };
  return {
    api: "cloudtasks",
    method: "PATCH",
    path: pathIn("cloudtasks", id),
    query: { updateMask: "rateLimits" },
    body,
  };
}

function fewerInstances(id: string): CloudRequest {
  const template = desiredResources.find((resource) => resource.kind === "service" && resource.id === id)?.spec[
    "template"
  ];
  const body = { template: { ...(template as Fields), scaling: { maxInstanceCount: 3 } } };
  return { api: "run", method: "PATCH", path: pathIn("run", id), query: { updateMask: "template" }, body };
}

function withoutLimit(delivery: ManifestConsumer["delivery"]): ManifestConsumer["delivery"] {
  const { rateLimit: _, ...others } = delivery;
  return others;
}

test("manual removals, switches and grants are in the plan, and the next deploy corrects them", async () => {
  const project = await shopProject({ newProject: true });
  const deployed = async (): Promise<string> => (await deployOnce(project, desiredResources)).result;
  expect(await deployed()).toBe("done");
  for (const [kind, { op, of = "", act }] of Object.entries(byHand)) {
    const one =
      desiredResources.find((resource) => resource.kind === kind && resource.id.endsWith(of)) ?? expect.fail(kind);
    await act(one, project);
    const { steps } = await planOf(desiredResources, project.open(undefined, images));
    const changed = steps.filter((step) => step.op !== "noop").map((step) => [step.op, step.resource.id]);
    expect(changed, kind).toEqual([[op, one.id]]);
    expect([await deployed(), await deployed()], kind).toEqual(["done", "unchanged"]);
  }
});

function withoutPasswords(id: string): CloudRequest {
  const query = { updateMask: "signIn.email.enabled" };
  return {
    api: "identitytoolkit",
    method: "PATCH",
    path: `/v2/${id}`,
    query,
    body: { signIn: { email: { enabled: false } } },
  };
}

function withoutPolicy(id: string): CloudRequest {
  return {
    api: "firestore",
    method: "PATCH",
    path: pathIn("firestore", id),
    query: { updateMask: "ttlConfig" },
    body: {},
  };
}
