import { expect, test } from "vitest";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { DeployCloud } from "../deploy-cloud.ts";
import { testProject } from "../testing/project.ts";
import { image } from "./image.ts";

const busy = new CloudError("HEAD europe-west1-docker.pkg.dev: 429 RESOURCE_EXHAUSTED: Too Many Requests", {
  status: 429,
  code: "RESOURCE_EXHAUSTED",
  unknownEffect: false,
});

test("a registry that is busy for minutes is retried as long as other APIs", async () => {
  const project = await testProject();
  const since = project.fake.clock.now();
  const cloud = openWith(project, () => project.fake.clock.now() - since < 300_000);
  await image.create({ kind: "image", id: "one", spec: {}, deps: [], owns: "part", title: "image of web" }, cloud);
  expect(await image.read({ id: "one", spec: {} }, cloud)).toEqual({});
});

test("a registry that stays busy fails the step with its own words", async () => {
  const project = await testProject();
  const cloud = openWith(project, () => true);
  await expect(image.read({ id: "one", spec: {} }, cloud)).rejects.toThrow("429 RESOURCE_EXHAUSTED: Too Many Requests");
});

/** Opens a cloud whose registry refuses every call while `isBusy` returns true. */
function openWith(
  { fake, place, client }: Awaited<ReturnType<typeof testProject>>,
  isBusy: () => boolean,
): DeployCloud {
  const take = <Result>(result: Result): Promise<Result> => (isBusy() ? Promise.reject(busy) : Promise.resolve(result));
  return new DeployCloud({
    client,
    place,
    sleep: (milliseconds) => fake.clock.advance(Math.ceil(milliseconds)),
    now: () => fake.clock.now(),
    images: new Map([["one", { exists: () => take(true), push: () => take(undefined) }]]),
  });
}
