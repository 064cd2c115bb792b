import { expect, test } from "vitest";
import type { CloudClient, CloudRequest } from "../platform/gcp/rest/client.ts";
import { incompleteText } from "../cli/deploy/incomplete.ts";
import { deploy } from "./deploy.ts";
import { keyOf, type Resource } from "./resource.ts";
import { LockedError, takeLock, type LockClock } from "./lock.ts";
import { readState } from "./state-file.ts";
import { testProject, type TestProject } from "./testing/project.ts";
import { undeclared } from "./testing/undeclared.ts";

interface Beats extends LockClock {
  /** Runs the heartbeat that normally runs on a 15-second timer, without waiting for it to finish. */
  readonly tick: () => Promise<void>;
}

test("a heartbeat that is slow ends nothing, and no other begins while it is under way", async () => {
  const { project, clock, writes, client } = await lockedProject();
  const lock = await takeLock(project.open(client), "ada@home", clock);
  writes.next = true;
  const slow = clock.tick();
  await expect.poll(() => writes.count).toBe(1);
  await project.fake.clock.advance(20_000);
  await clock.tick();
  expect(writes.count).toBe(1);
  writes.release();
  await slow;
  await clock.tick();
  expect(lock.lost.aborted).toBe(false);
  await lock.release();
  expect((await readState("lock.json", project.open())).content).toBeUndefined();
});

test("a heartbeat that fails is made again before the lock ends", async () => {
  const { project, clock, writes, client } = await lockedProject();
  const lock = await takeLock(project.open(client), "ada@home", clock);
  writes.failures = 2;
  for (let beat = 1; beat <= 3; beat++) {
    await project.fake.clock.advance(15_000);
    await clock.tick();
  }
  expect(writes.failures).toBe(0);
  expect(lock.lost.aborted).toBe(false);
});

test("a lock that could not be renewed in time says so, with the reason and what to do", async () => {
  const { project, clock, writes, client } = await lockedProject();
  const lock = await takeLock(project.open(client), "ada@home", clock);
  writes.failures = Infinity;
  for (let beat = 1; beat <= 5; beat++) {
    await project.fake.clock.advance(15_000);
    await clock.tick();
  }
  expect(lock.lost.reason).toBeInstanceOf(LockedError);
  expect((lock.lost.reason as Error).message).toBe(
    "this deploy could not renew its lock for 60 seconds (the storage is down), so another deploy may have started; run the same command to resume",
  );
});

test("a heartbeat that has no answer before the lock ends says so, too", async () => {
  const { project, clock, writes, client } = await lockedProject();
  const lock = await takeLock(project.open(client), "ada@home", clock);
  writes.next = true;
  const slow = clock.tick();
  await expect.poll(() => writes.count).toBe(1);
  await project.fake.clock.advance(61_000);
  await clock.tick();
  expect((lock.lost.reason as Error).message).toContain("could not renew its lock for 60 seconds (no answer)");
  await lock.release();
  writes.release();
  await slow;
});

test("a lock that another deploy has taken names its holder", async () => {
  const { project, clock } = await lockedProject();
  const lock = await takeLock(project.open(), "ada@home", clock);
  await project.fake.clock.advance(61_000);
  await takeLock(project.open(), "bob@work", { ...clock, every: () => () => {} });
  await clock.tick();
  expect((lock.lost.reason as Error).message).toMatch(/^bob@work has been deploying since 2026-01-01T/);
});

test("a deploy that has lost its lock stops before its next step, and says why", async () => {
  const { project, clock } = await lockedProject();
  const slow = {
    async call<Answer>(request: CloudRequest): Promise<Answer> {
      const answer = await project.client.call<Answer>(request);
      if (request.method === "PUT" && request.path.endsWith("/topics/one")) {
        await project.fake.clock.advance(61_000);
        await takeLock(project.open(), "bob@work", { ...clock, every: () => () => {} });
        await clock.tick();
      }
      return answer;
    },
  };
  const { result, interruption, outcomes } = await deploy({
    cloud: project.open(slow),
    desired: [topicNamed("one"), { ...topicNamed("two"), deps: [keyOf(topicNamed("one"))] }],
    options: {},
    version: undeclared,
    holder: "ada@home",
    clock,
    confirm: () => Promise.resolve(true),
  });
  expect([result, outcomes.map(({ state }) => state)]).toEqual(["failed", ["done", "skipped"]]);
  expect(incompleteText("deploy", { outcomes, ...(interruption && { interruption }) })).toMatch(
    /^\ndeploy incomplete: bob@work has been deploying since .*\n1 step left\. Run the same command to resume\.\n$/,
  );
});

function topicNamed(name: string): Resource {
  const labels = { "managed-by": "fw", "fw-app": "shop", "fw-env": "test" };
  return { kind: "topic", id: `projects/demo-fw/topics/${name}`, title: name, spec: { labels }, deps: [], owns: "all" };
}

interface LockWrites {
  /** Delays the next write of the lock until `release`. */
  next: boolean;
  count: number;
  failures: number;
  release: () => void;
}

async function lockedProject(): Promise<{
  readonly project: TestProject;
  readonly clock: Beats;
  readonly client: Pick<CloudClient, "call">;
  readonly writes: LockWrites;
}> {
  const project = await testProject();
  await project.client.call({
    api: "storage",
    method: "POST",
    path: "/storage/v1/b",
    query: { project: "demo-fw" },
    body: { name: "demo-fw-fw" },
  });
  const writes: LockWrites = { next: false, count: 0, failures: 0, release: () => {} };
  const client = {
    async call<Answer>(request: CloudRequest): Promise<Answer> {
      const isWrite = request.path.startsWith("/upload/");
      if (isWrite && writes.failures > 0) {
        writes.failures -= 1;
        throw new Error("the storage is down");
      }
      if (isWrite && writes.next) {
        writes.next = false;
        writes.count += 1;
        await new Promise<void>((release) => (writes.release = release));
      }
      return project.client.call<Answer>(request);
    },
  };
  let run: () => Promise<void> = () => Promise.resolve();
  const clock: Beats = {
    now: project.clock.now,
    every: (_, beat) => ((run = beat), () => {}),
    tick: () => run(),
  };
  return { project, clock, client, writes };
}
