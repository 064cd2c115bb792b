import { expect, test } from "vitest";
import { locationEnvironment, readCloudLocation, type ProjectLocation } from "./cloud-location.ts";

const environment = { FW_APP: "shop", FW_ENV: "prod", FW_SERVICE: "web" };
const deployed = { project: "demo", projectNumber: "123", region: "europe-west1" };
const measured = { project: "other", projectNumber: "456", region: "us-east1" };

test("a service that a deploy told its location does not ask the metadata server", async () => {
  const location = await readCloudLocation({ ...environment, ...locationEnvironment(deployed) }, neverAsked);
  expect(location).toEqual({ app: "shop", env: "prod", service: "web", ...deployed, database: "shop-prod" });
});

test.each([
  ["a part of its location is missing", { FW_REGION: "" }],
  ["the environment names another metadata server", { GCE_METADATA_HOST: "127.0.0.1:1" }],
])("a service asks the metadata server if %s", async (_, changes) => {
  const env = { ...environment, ...locationEnvironment(deployed), ...changes };
  expect(await readCloudLocation(env, async () => measured)).toMatchObject(measured);
});

function neverAsked(): Promise<ProjectLocation> {
  throw new Error("the metadata server was asked");
}
