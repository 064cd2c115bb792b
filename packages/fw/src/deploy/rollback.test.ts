import { expect, test } from "vitest";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import type { CloudClient } from "../platform/gcp/rest/client.ts";
import { shortName } from "./api-path.ts";
import { desired } from "./desired/desired.ts";
import { itemsOf, textOf } from "./fields.ts";
import type { Resource } from "./resource.ts";
import { rollBack, rollbackPlan } from "./rollback.ts";
import { deployOnce } from "./testing/deploys.ts";
import { shopProject, type TestProject } from "./testing/project.ts";
import { declaredShop } from "./testing/shop.ts";

const units = ["desk", "web"];

test("a rollback goes to the versions before the last deploy, also of services that an earlier one switched", async () => {
  const project = await shopProject();
  await deployOnce(project, versions({}));
  await deployOnce(project, versions({ web: "2" }));
  const together = await serving(project);
  await deployOnce(project, versions({ web: "2", desk: "2" }));
  await back(project);
  expect(await serving(project)).toEqual(together);
});

test("a rollback of a deploy that was interrupted and resumed goes to the versions before its first attempt", async () => {
  const project = await shopProject();
  await deployOnce(project, versions({}));
  const together = await serving(project);
  const next = versions({ web: "2", desk: "2" });
  const halved = await deployOnce(project, next, { client: failing(project.client, "shop-test-web") });
  expect(halved.result).toBe("failed");
  expect(await serving(project)).not.toEqual(together);
  expect(await deployOnce(project, next)).toMatchObject({ result: "done" });
  await back(project);
  expect(await serving(project)).toEqual(together);
});

test("a deploy that switches no service keeps the versions to go back to", async () => {
  const project = await shopProject();
  await deployOnce(project, versions({}));
  const together = await serving(project);
  await deployOnce(project, versions({ web: "2" }));
  const { resources } = declaredShop.manifest;
  const settings = { ...declaredShop.manifest, resources: { ...resources, alerts: [] } };
  await deployOnce(project, versions({ web: "2" }, settings));
  await back(project);
  expect(await serving(project)).toEqual(together);
});

test("data that the running version uses is not removed before a rollback can no longer return to it", async () => {
  const project = await shopProject();
  await deployOnce(project, versions({}));
  const { manifest } = declaredShop;
  const withoutIndexes = manifest.resources.entities.map((entity) => ({ ...entity, indexes: [] }));
  const smaller = { ...manifest, resources: { ...manifest.resources, entities: withoutIndexes } };
  const removals = async (content: Readonly<Record<string, string>>) => {
    const { plan, result } = await deployOnce(project, versions(content, smaller), {
      options: { pruneData: "retained" },
    });
    const steps = plan.steps.filter(({ op }) => op === "leave" || op === "prune");
    return [result, ...steps.map((step) => `${step.op} ${step.resource.kind} ${"why" in step ? step.why : ""}`)];
  };
  expect(await removals({ web: "2" })).toEqual([
    "done",
    "leave index kept because the running version uses it, also after a rollback: the next deploy can remove it",
  ]);
  expect(await removals({ web: "3" })).toEqual(["done", "prune index "]);
  expect(await removals({ web: "3" })).toEqual(["unchanged"]);
});

/** Returns the resources of the shop with changed content in some services. */
function versions(content: Readonly<Record<string, string>>, manifest = declaredShop.manifest): readonly Resource[] {
  const images = Object.entries(declaredShop.images).map(([name, image]) => [name, `${image}${content[name] ?? "1"}`]);
  return desired({ ...declaredShop, manifest, images: Object.fromEntries(images) as Record<string, string> });
}

/** Returns a client that refuses to switch the traffic of one service. */
function failing(client: Pick<CloudClient, "call">, service: string): Pick<CloudClient, "call"> {
  return {
    call: (request) => {
      const isSwitch = request.query?.["updateMask"] === "traffic" && request.path.endsWith(`/${service}`);
      if (!isSwitch) return client.call(request);
      const facts = { status: 400, code: "INVALID_ARGUMENT", unknownEffect: false };
      return Promise.reject(new CloudError("refused", facts));
    },
  };
}

async function back(project: TestProject): Promise<void> {
  await rollBack(await rollbackPlan(project.open()), project.open());
}

async function serving({ open }: TestProject): Promise<readonly string[]> {
  const lives = units.map((unit) =>
    open().find({
      api: "run",
      method: "GET",
      path: `/v2/projects/demo-fw/locations/europe-west1/services/shop-test-${unit}`,
    }),
  );
  return (await Promise.all(lives)).map((live) => shortName(textOf(itemsOf(live?.["traffic"])[0]?.["revision"])));
}
