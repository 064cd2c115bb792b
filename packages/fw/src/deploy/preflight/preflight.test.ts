import { expect, test } from "vitest";
import { compositeIndexes } from "../../lib/limits.ts";
import { problemLines } from "../testing/problem-lines.ts";
import { testProject } from "../testing/project.ts";
import { findProject } from "./project.ts";
import { preflight } from "./preflight.ts";
import type { Needs, Problem } from "./problem.ts";

const fine: Needs = { secrets: [], social: false, indexes: [], keepsDocuments: false, domains: [], accounts: 2 };

const who = { who: "deployer@demo-fw.iam.gserviceaccount.com", adopt: false };

test("nothing stands in the way of an application that needs nothing", async () => {
  const { open } = await testProject();
  expect(await preflight(fine, open(), who)).toEqual([]);
});

test("everything that stands in the way of a deploy is told at once, each with what to do", async () => {
  const { fake, client, open } = await testProject();
  fake.cloud.policies.revoke(
    "serviceAccount:deployer@demo-fw.iam.gserviceaccount.com",
    "roles/owner",
    "//cloudresourcemanager.googleapis.com/projects/demo-fw",
  );
  for (const role of [
    "roles/secretmanager.viewer",
    "roles/firebaseauth.viewer",
    "roles/datastore.owner",
    "roles/pubsub.admin",
  ])
    fake.grant("serviceAccount:deployer@demo-fw.iam.gserviceaccount.com", role);
  fake.apis.secrets.set("test-OLD_KEY", "value");
  const indexes = Array.from({ length: compositeIndexes + 1 }, (_, at) => ({
    entity: at % 3 === 0 ? "orders" : "visits",
    fields: `field${at} asc, at desc`,
  }));
  const secrets = ["MAIL_KEY", "OLD_KEY"].map((name, line) => ({ name, at: `web/mail.ts:${line + 3}` }));
  const problems = await preflight({ ...fine, secrets, social: true, indexes, keepsDocuments: true }, open(), who);
  const missing = await findProject("another-project", client);
  const all = problemLines([...problems, missing as Problem]);
  await expect(all).toMatchFileSnapshot("../testing/golden/refusals.txt");
});

test("the social provider is enabled by hand, which a deploy says how to do, and goes on when it is done", async () => {
  const { fake, open } = await testProject();
  const needs = { ...fine, social: true };
  expect(await preflight(needs, open(), who)).toMatchObject([{ manual: true }]);
  fake.apis.people.configuration.social = true;
  expect(await preflight(needs, open(), who)).toEqual([]);
});
