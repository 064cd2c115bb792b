import { expect, test } from "vitest";
import { labelsOf, topicName } from "../platform/gcp/names.ts";
import { apply, type Outcome } from "./apply.ts";
import { planOf, type PlanOptions } from "./plan.ts";
import type { CloudClient } from "../platform/gcp/rest/client.ts";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import { keyOf, type Resource } from "./resource.ts";
import { testProject, type TestProject } from "./testing/project.ts";

test("a second deploy of the same finds nothing to do", async () => {
  const project = await testProject();
  expect(await deploy(project, both(project))).toEqual(["create bucket", "create topic"]);
  expect(await deploy(project, both(project))).toEqual([]);
});

test("one field that somebody has changed is one update", async () => {
  const project = await testProject();
  await deploy(project, both(project));
  const [, bucket] = both(project);
  await project.client.call({
    api: "storage",
    method: "PATCH",
    path: `/storage/v1/b/${bucket?.id}`,
    body: { cors: [] },
  });
  const plan = await planOf(both(project), project.open());
  expect(plan.steps.filter(({ op }) => op !== "noop")).toMatchObject([
    { op: "update", resource: { kind: "bucket" }, changes: [{ path: "cors" }] },
  ]);
});

test("what is no longer declared goes, but for what keeps data", async () => {
  const project = await testProject();
  await deploy(project, both(project));
  expect(await deploy(project, [])).toEqual([]);
  expect(await deploy(project, [], { pruneData: true })).toEqual(["prune bucket", "prune topic"]);
  expect(await deploy(project, [])).toEqual([]);
});

test("a resource of the same name that says nothing of fw is taken over only where that is asked for", async () => {
  const project = await testProject();
  const [topic] = both(project);
  await project.client.call({ api: "pubsub", method: "PUT", path: `/v1/${topic?.id}`, body: {} });
  const plan = await planOf(both(project), project.open());
  expect(plan.steps[1]).toMatchObject({
    op: "blocked",
    why: expect.stringContaining("--adopt takes it over") as string,
  });
  expect(await deploy(project, both(project), { adopt: true })).toEqual(["create bucket", "update topic"]);
});

test("a call whose answer is lost has its effect once", async () => {
  const project = await testProject();
  project.fake.faults.add({ fault: "reset after effect", method: "pubsub.projects.topics.create", times: 1 });
  project.fake.faults.add({ fault: "503 after effect", method: "storage.buckets.insert", times: 1 });
  expect(await deploy(project, both(project))).toEqual(["create bucket", "create topic"]);
  expect(await deploy(project, both(project))).toEqual([]);
});

test("after a step that failed, what depends on it and all later stages are skipped", async () => {
  const project = await testProject();
  const [topic, bucket] = both(project);
  if (topic === undefined || bucket === undefined) expect.fail("there is a topic and a bucket");
  const dependent: Resource = { ...topic, id: `${topic.id}-dependent`, deps: [keyOf(topic)] };
  const subscription: Resource = {
    ...topic,
    kind: "subscription",
    id: topic.id.replace("/topics/", "/subscriptions/"),
    spec: { ...topic.spec, topic: topic.id },
  };
  const refusals = recordedRefusals(project, `/v1/${topic.id}`);
  const cloud = project.open(refusals.client);
  const plan = await planOf([topic, dependent, bucket, subscription], cloud);
  const outcomes = await apply(plan, { cloud, now: project.clock.now });
  const states = outcomes.map(({ step, state }) => `${state} ${step.resource.kind} ${step.resource.id}`);
  expect(states.toSorted()).toEqual([
    `done bucket ${bucket.id}`,
    `failed topic ${topic.id}`,
    `skipped subscription ${subscription.id}`,
    `skipped topic ${dependent.id}`,
  ]);
  expect(refusals.writes.filter((path) => /-dependent|subscriptions/.test(path))).toEqual([]);
});

test("resources are removed in the opposite order of their creation", async () => {
  const project = await testProject();
  const [topic] = both(project);
  if (topic === undefined) expect.fail("there is a topic");
  const subscription: Resource = {
    ...topic,
    kind: "subscription",
    id: topic.id.replace("/topics/", "/subscriptions/"),
    spec: { ...topic.spec, topic: topic.id },
  };
  const order: string[] = [];
  const carryOut = async (resources: readonly Resource[]): Promise<void> => {
    const cloud = project.open();
    const plan = await planOf(resources, cloud, { pruneData: true });
    await apply(plan, { cloud, now: project.clock.now, onEnd: ({ step }) => order.push(step.resource.kind) });
  };
  await carryOut([topic, subscription]);
  await carryOut([]);
  expect(order).toEqual(["topic", "subscription", "subscription", "topic"]);
});

/** A client whose calls of one path are refused, and the paths that it wrote to. */
function recordedRefusals(
  { client }: TestProject,
  path: string,
): { readonly client: Pick<CloudClient, "call">; readonly writes: readonly string[] } {
  const writes: string[] = [];
  const denied = { status: 403, code: "PERMISSION_DENIED", unknownEffect: false };
  return {
    writes,
    client: {
      call: (request) => {
        if (request.method !== "GET") writes.push(request.path);
        const isRefused = request.method !== "GET" && request.path === path;
        return isRefused ? Promise.reject(new CloudError("denied", denied)) : client.call(request);
      },
    },
  };
}

/** What was done. */
async function deploy(
  project: TestProject,
  desired: readonly Resource[],
  options: PlanOptions = {},
): Promise<string[]> {
  const cloud = project.open();
  const plan = await planOf(desired, cloud, options);
  const outcomes: Outcome[] = [];
  await apply(plan, { cloud, now: project.clock.now, onEnd: (outcome) => outcomes.push(outcome) });
  const done = outcomes.map(({ step, state, error }) => {
    if (state !== "done") throw error ?? new Error(state);
    return `${step.op} ${step.resource.kind}`;
  });
  return done.toSorted();
}

function both({ place }: TestProject): readonly Resource[] {
  const labels = labelsOf(place);
  const name = topicName(place, { kind: "topic", name: "orders" });
  const common = { deps: [], owns: "all" } as const;
  return [
    {
      kind: "topic",
      id: `projects/${place.project}/topics/${name}`,
      spec: { labels },
      title: "topic orders",
      ...common,
    },
    {
      kind: "bucket",
      id: "demo-fw-shop-test-photos",
      spec: {
        labels,
        location: place.region,
        iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: "enforced" },
        cors: [{ origin: ["*"], method: ["GET"], responseHeader: ["ETag"], maxAgeSeconds: 3600 }],
      },
      title: "bucket photos",
      ...common,
    },
  ];
}
