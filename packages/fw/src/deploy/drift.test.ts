import { expect, test } from "vitest";
import type { CloudRequest } from "../platform/gcp/rest/client.ts";
import { pathIn, shortName } from "./api-path.ts";
import { deploy } from "./deploy.ts";
import { desired } from "./desired/desired.ts";
import { planOf } from "./plan.ts";
import type { Kind, Resource } from "./resource.ts";
import { testProject, type TestProject } from "./testing/project.ts";
import { declaredShop } from "./testing/shop.ts";

const wanted = desired(declaredShop);
const images = wanted.filter(({ kind }) => kind === "image").map(({ id }) => id);

interface ByHand {
  /** What a deploy then does. */
  readonly op: "create" | "update";
  /** How the id ends of the one that it is done to; any of its kind where nothing is said. */
  readonly of?: string;
  readonly act: (resource: Resource, project: TestProject) => Promise<unknown>;
}

/** Of each kind that `converge.test.ts` changes no field of. */
const byHand: Partial<Record<Kind, ByHand>> = {
  // Of an API that is off everything else that it has is in the plan, too: this one has nothing.
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
  // Its name says what is in it, so that it is there or it is not.
  image: { op: "create", act: async ({ id }, { pushed }) => pushed.delete(id) },
  // Google changes none: it is there or it is not.
  index: { op: "create", act: async (_, { fake }) => fake.apis.firestore.indexes.clear() },
  metric: {
    op: "create",
    act: ({ id }, { client }) => client.call({ api: "monitoring", method: "DELETE", path: pathIn("monitoring", id) }),
  },
  "sign-in": { op: "update", act: ({ id }, { client }) => client.call(withoutPasswords(id)) },
  "time-to-live": { op: "create", act: ({ id }, { client }) => client.call(withoutPolicy(id)) },
};

const webAccount = "shop-test-web@demo-fw.iam.gserviceaccount.com";

test("what somebody has taken away, switched off or granted by hand is in the plan, and the next deploy mends it", async () => {
  const project = await testProject(1, { newProject: true });
  for (const name of ["MAIL_KEY", "CHAT_URL"])
    project.fake.apis.secrets.set(`test-${name}`, "https://chat.example.com/hook");
  const deployed = async (): Promise<string> => {
    const cloud = project.open(undefined, images);
    const confirm = (): Promise<boolean> => Promise.resolve(true);
    return (await deploy({ cloud, desired: wanted, options: {}, holder: "test", clock: project.clock, confirm }))
      .result;
  };
  expect(await deployed()).toBe("done");
  for (const [kind, { op, of = "", act }] of Object.entries(byHand)) {
    const one = wanted.find((resource) => resource.kind === kind && resource.id.endsWith(of)) ?? expect.fail(kind);
    await act(one, project);
    const { steps } = await planOf(wanted, project.open(undefined, images));
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
