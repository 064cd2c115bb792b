import { expect, test } from "vitest";
import { labelsOf, topicName } from "../platform/gcp/names.ts";
import { apply, type Outcome } from "./apply.ts";
import { planOf, type PlanOptions } from "./plan.ts";
import type { Resource } from "./resource.ts";
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

/** What was done. */
async function deploy(
  project: TestProject,
  desired: readonly Resource[],
  options: PlanOptions = {},
): Promise<string[]> {
  const cloud = project.open();
  const plan = await planOf(desired, cloud, options);
  const outcomes: Outcome[] = [];
  await apply(plan, { cloud, now: project.clock.now, ended: (outcome) => outcomes.push(outcome) });
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
