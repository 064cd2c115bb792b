import { expect, test } from "vitest";
import { labelsOf, markOf, topicName } from "../platform/gcp/names.ts";
import { apply, type Outcome } from "./apply.ts";
import type { Fields } from "./fields.ts";
import { placeholders } from "./placeholders.ts";
import { planOf, stepOf, type PlanOptions } from "./plan.ts";
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
  expect(refusals.writes.filter((path) => path === `/v1/${topic.id}`)).toHaveLength(1);
  for (const { milliseconds } of outcomes) expect(milliseconds).toBeLessThan(60_000);
  for (const { milliseconds } of outcomes.filter(({ state }) => state === "skipped")) expect(milliseconds).toBe(0);
  expect(outcomes.find(({ state }) => state === "failed")?.error).toBeInstanceOf(CloudError);
});

test("a deploy that is stopped skips what it has not begun", async () => {
  const project = await testProject();
  const cloud = project.open();
  const plan = await planOf(both(project), cloud);
  const stop = new AbortController();
  const outcomes = await apply(plan, {
    cloud,
    now: project.clock.now,
    signal: stop.signal,
    onStart: () => stop.abort(),
  });
  expect(outcomes).toMatchObject([
    { state: "done", step: { resource: { kind: "bucket" } } },
    { state: "skipped", step: { resource: { kind: "topic" } }, milliseconds: 0 },
  ]);
});

test("of resources with data, a plan with retained removes only those that an earlier deploy left", async () => {
  const project = await testProject();
  const [, bucket] = both(project);
  if (bucket === undefined) expect.fail("there is a bucket");
  await deploy(project, [bucket]);
  const stepFor = async (options: PlanOptions): Promise<unknown> =>
    (await planOf([], project.open(), { before: [bucket], ...options })).steps.map(({ op }) => op);
  expect(await stepFor({ retained: [bucket] })).toEqual(["leave"]);
  const pruneData = "retained";
  expect(await stepFor({ pruneData })).toEqual(["leave"]);
  expect(await stepFor({ pruneData, retained: [{ kind: "bucket", id: "another" }] })).toEqual(["leave"]);
  expect(await stepFor({ pruneData, retained: [bucket] })).toEqual(["prune"]);
});

test("a plan reads secrets before it compares resources with them", async () => {
  const project = await testProject();
  const [topic] = both(project);
  if (topic === undefined) expect.fail("there is a topic");
  const events: string[] = [];
  const call: CloudClient["call"] = async (request) => {
    if (request.api !== "secretmanager") events.push("reads resources");
    try {
      return await project.client.call(request);
    } finally {
      if (request.api === "secretmanager") events.push("has read the secret");
    }
  };
  const secret = placeholders.secret("test-HOOK_URL");
  await planOf([{ ...topic, spec: { ...topic.spec, labels: { secret } } }], project.open({ call }), { before: [] });
  expect(events[0]).toBe("has read the secret");
  expect(events).toContain("reads resources");
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

test("a fixed field that changes replaces the resource, and a replacement that fails is told", async () => {
  const project = await testProject();
  const [topic] = both(project);
  if (topic === undefined) expect.fail("there is a topic");
  const other: Resource = { ...topic, id: `${topic.id}-other` };
  const from = (source: Resource): Resource => ({
    ...topic,
    kind: "subscription",
    id: topic.id.replace("/topics/", "/subscriptions/"),
    spec: { ...topic.spec, topic: source.id },
  });
  await deploy(project, [topic, other, from(topic)]);
  const { client } = recordedRefusals(project, `/v1/${from(topic).id}`, "PUT");
  const cloud = project.open(client);
  const plan = await planOf([topic, other, from(other)], cloud);
  expect(plan.steps.filter(({ op }) => op !== "noop")).toMatchObject([{ op: "replace" }]);
  expect(await apply(plan, { cloud, now: project.clock.now })).toMatchObject([
    { state: "failed", error: { message: "denied" } },
  ]);
  expect(await deploy(project, [topic, other, from(topic)])).toEqual(["create subscription"]);
  expect(await deploy(project, [topic, other, from(other)])).toEqual(["replace subscription"]);
  expect(await deploy(project, [topic, other, from(other)])).toEqual([]);
});

/** Runs a deploy during which another tool creates a bucket with different fields, after the plan. */
async function deployLate(project: TestProject, existing: Resource, reads: number): Promise<readonly Outcome[]> {
  const { client } = project;
  const path = `/storage/v1/b/${existing.id}`;
  let hiddenReads = reads;
  const late = project.open({
    call: (request) => {
      const isHidden = request.method === "GET" && request.path === path && hiddenReads-- > 0;
      const missing = { status: 404, code: "NOT_FOUND", unknownEffect: false };
      return isHidden ? Promise.reject(new CloudError("not found", missing)) : client.call(request);
    },
  });
  const bucket = both(project)[1];
  if (bucket === undefined) expect.fail("there is a bucket");
  const plan = await planOf([bucket], late);
  expect(plan.steps).toMatchObject([{ op: "create" }]);
  await deploy(project, [existing]);
  return apply(plan, { cloud: late, now: project.clock.now });
}

test("a resource that exists when it is created, and cannot be read at first, is updated to its spec", async () => {
  const project = await testProject();
  const [, bucket] = both(project);
  if (bucket === undefined) expect.fail("there is a bucket");
  const existing: Resource = { ...bucket, spec: { ...bucket.spec, cors: [] } };
  expect(await deployLate(project, existing, 2)).toMatchObject([{ state: "done" }]);
  const plan = await planOf([bucket], project.open());
  expect(plan.steps).toMatchObject([{ op: "noop" }]);
});

test("a resource that another tool creates during the deploy is not taken over", async () => {
  const project = await testProject();
  const [, bucket] = both(project);
  if (bucket === undefined) expect.fail("there is a bucket");
  const foreign: Resource = { ...bucket, spec: { ...bucket.spec, labels: {} } };
  expect(await deployLate(project, foreign, 1)).toMatchObject([
    { state: "failed", error: { message: expect.stringContaining("was created by another tool") as string } },
  ]);
});

test("a plan of an application lists only kinds that it or an earlier deploy has", async () => {
  const project = await testProject();
  const [topic] = both(project);
  if (topic === undefined) expect.fail("there is a topic");
  const apisFor = async (before?: PlanOptions["before"]): Promise<readonly string[]> => {
    const apis = new Set<string>();
    const cloud = project.open({
      call: (request) => {
        apis.add(request.api);
        return project.client.call(request);
      },
    });
    await planOf([topic], cloud, before && { before });
    return [...apis].toSorted();
  };
  expect(await apisFor([])).toEqual(["pubsub"]);
  expect(await apisFor([{ kind: "bucket", id: "old" }])).toEqual(["pubsub", "storage"]);
  expect(await apisFor()).toEqual(["cloudscheduler", "iam", "monitoring", "pubsub", "run", "storage"]);
});

test("a policy without grants is a step only where it takes grants away", async () => {
  const project = await testProject();
  const cloud = project.open();
  const account = `shop@${project.place.project}.iam.gserviceaccount.com`;
  cloud.addAccount(account);
  const bindings = [{ role: "roles/pubsub.publisher", members: [`serviceAccount:${account}`] }];
  const policy = (roleBindings: Fields["bindings"]): Resource => ({
    kind: "grants",
    id: `//pubsub.googleapis.com/projects/${project.place.project}/topics/orders`,
    title: "grants of orders",
    spec: { bindings: roleBindings ?? [] },
    deps: [],
    owns: "part",
  });
  expect(stepOf(policy([]), undefined, cloud, {}).op).toBe("noop");
  expect(stepOf(policy([]), { bindings: [] }, cloud, {}).op).toBe("noop");
  expect(stepOf(policy([]), { bindings }, cloud, {}).op).toBe("update");
  expect(stepOf(policy(bindings), undefined, cloud, {}).op).toBe("create");
});

test("a plan shows no secrets, and other changes as they are", async () => {
  const { open } = await testProject();
  const cloud = open();
  const url = placeholders.secret("test-HOOK_URL");
  cloud.values.set(url, "https://hooks.example.com/new");
  const channel: Resource = {
    kind: "channel",
    id: "notificationChannels/oncall",
    title: "channel oncall",
    spec: { type: "webhook_tokenauth", displayName: "oncall", labels: { url } },
    deps: [],
    owns: "all",
  };
  const changes = (live: Fields): unknown => stepOf(channel, live, cloud, { adopt: true });
  expect(changes({ ...channel.spec, labels: { url: "https://hooks.example.com/old" } })).toMatchObject({
    changes: [{ path: "labels.url", from: "<another>", to: url }],
  });
  const added = changes({ type: "webhook_tokenauth", displayName: "pager" });
  expect(added).toMatchObject({
    changes: expect.arrayContaining([{ path: "displayName", from: "pager", to: "oncall" }]) as unknown,
  });
  expect(JSON.stringify(added)).not.toContain("hooks.example.com");
});

test("the steps of a plan have one order, however the resources are declared", async () => {
  const project = await testProject();
  const resources = both(project);
  for (const declared of [resources, resources.toReversed()]) {
    const { steps } = await planOf(declared, project.open());
    expect(steps.map(({ resource }) => resource.kind)).toEqual(["bucket", "topic"]);
  }
});

test("a field that cannot be changed blocks a resource with data, which is not replaced", async () => {
  const project = await testProject();
  const [, bucket] = both(project);
  if (bucket === undefined) expect.fail("there is a bucket");
  await deploy(project, [bucket]);
  const moved: Resource = { ...bucket, spec: { ...bucket.spec, location: "US" } };
  const plan = await planOf([moved], project.open());
  expect(plan.steps).toMatchObject([
    { op: "blocked", why: expect.stringMatching(/^location of .* cannot be changed to "US"$/) as string },
  ]);
});

test("of undeclared resources, what stays loses its grants, and what goes takes its grants along", async () => {
  const project = await testProject();
  const [, bucket] = both(project);
  if (bucket === undefined) expect.fail("there is a bucket");
  const name = project.place.project;
  const account: Resource = {
    ...bucket,
    kind: "service-account",
    id: `projects/${name}/serviceAccounts/shop-test@${name}.iam.gserviceaccount.com`,
    spec: { description: markOf(project.place) },
  };
  await deploy(project, [account, bucket]);
  const policies = [`//storage.googleapis.com/projects/_/buckets/${bucket.id}`, `//iam.googleapis.com/${account.id}`];
  const before = [account, bucket, ...policies.map((id) => ({ kind: "grants" as const, id }))];
  const plan = await planOf([], project.open(), { before });
  const steps = plan.steps.map(({ op, resource }) => `${op} ${resource.kind} ${resource.id}`);
  expect(steps.toSorted()).toEqual([
    `leave bucket ${bucket.id}`,
    `prune grants ${policies[0]}`,
    `prune service-account ${account.id}`,
  ]);
});

test("a plan shows the grants of a policy as a list, and what has a channel with the channel's title", async () => {
  const project = await testProject();
  const cloud = project.open();
  const name = `shop@${project.place.project}.iam.gserviceaccount.com`;
  cloud.addAccount(name);
  const member = `serviceAccount:${name}`;
  const binding = (role: string): Fields => ({ role, members: [member] });
  const common = { title: "", deps: [], owns: "part" } as const;
  const id = `//pubsub.googleapis.com/projects/${project.place.project}/topics/orders`;
  const bindings = [binding("roles/pubsub.publisher")];
  const policy: Resource = { ...common, kind: "grants", id, spec: { bindings } };
  expect(stepOf(policy, { bindings: [binding("roles/pubsub.viewer")] }, cloud, {})).toMatchObject({
    changes: [{ path: "bindings", from: [binding("roles/pubsub.viewer")], to: bindings }],
  });
  const channel = placeholders.channel("oncall");
  cloud.values.set(channel, "projects/demo/notificationChannels/2");
  const alert: Resource = { ...common, kind: "alert", id: "alert", spec: { notificationChannels: [channel] } };
  const live = { notificationChannels: ["projects/demo/notificationChannels/1"] };
  expect(stepOf(alert, live, cloud, {})).toMatchObject({
    changes: [{ path: "notificationChannels[0]", from: "<another>", to: channel }],
  });
});

/** Returns the paths of all attempted writes, and a client that refuses those to one path. */
function recordedRefusals(
  { client }: TestProject,
  path: string,
  refusedMethod?: string,
): { readonly client: Pick<CloudClient, "call">; readonly writes: readonly string[] } {
  const writes: string[] = [];
  const denied = { status: 403, code: "PERMISSION_DENIED", unknownEffect: false };
  return {
    writes,
    client: {
      call: (request) => {
        if (request.method !== "GET") writes.push(request.path);
        const isRefused =
          request.path === path && (refusedMethod ?? request.method) === request.method && request.method !== "GET";
        return isRefused ? Promise.reject(new CloudError("denied", denied)) : client.call(request);
      },
    },
  };
}

/** Deploys, and returns the sorted actions, such as `create bucket`. Throws if a step is not done. */
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
