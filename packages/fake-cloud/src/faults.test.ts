import { afterEach, beforeEach, expect, test } from "vitest";
import { project, testCloud, type Answer } from "./testing/client.ts";

const api = "https://pubsub.googleapis.com/v1/projects/demo-fw";
let cloud: Awaited<ReturnType<typeof testCloud>>;

beforeEach(async () => {
  cloud = await testCloud();
  cloud.grant("user:admin@x", "roles/owner", project);
});
afterEach(() => cloud.stop());

const create = (name: string): Promise<Answer> =>
  cloud.ask(`${api}/topics/${name}`, { method: "PUT", as: "admin@x", body: {} });
const exists = async (name: string): Promise<boolean> =>
  (await cloud.ask(`${api}/topics/${name}`, { as: "admin@x" })).status === 200;

test("an error comes as often as it is wanted, with when to come again", async () => {
  cloud.faults.add({ fault: "429", method: "pubsub.projects.topics.create", times: 2, retryAfter: 3 });
  const answers = [await create("one"), await create("one"), await create("one")];
  expect(answers.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual([
    [429, "3"],
    [429, "3"],
    [200, undefined],
  ]);
});

test("a call that fails has had no effect, or has had it", async () => {
  cloud.faults.add({ fault: "503", times: 1 });
  cloud.faults.add({ fault: "503 after effect", method: /topics\.create/, times: 1 });
  expect([(await create("before")).status, (await create("after")).status]).toEqual([503, 503]);
  expect([await exists("before"), await exists("after")]).toEqual([false, true]);
});

test("a connection ends before the effect, or after it", async () => {
  cloud.faults.add({ fault: "reset before effect", method: /create/, times: 1 });
  cloud.faults.add({ fault: "reset after effect", method: /create/, times: 1 });
  await expect(create("before")).rejects.toThrow("socket hang up");
  await expect(create("after")).rejects.toThrow("socket hang up");
  expect([await exists("before"), await exists("after")]).toEqual([false, true]);
});

test("an answer takes as long as it is wanted to", async () => {
  cloud.faults.add({ fault: "slow", milliseconds: 5000, times: 1 });
  let isAnswered = false;
  const answer = create("slow").then(() => (isAnswered = true));
  await expect.poll(() => cloud.faults.hits.get("slow")).toBe(1);
  await cloud.clock.advance(4999);
  expect(isAnswered).toBe(false);
  await cloud.clock.advance(1);
  expect(await answer).toBe(true);
});

test("the same seed hits the same calls", async () => {
  const hits: string[] = [];
  for (const _ of [1, 2]) {
    await using other = await testCloud({ start: 0, seed: 42 });
    other.grant("user:admin@x", "roles/owner", project);
    other.faults.add({ fault: "503", probability: 0.4 });
    const statuses: number[] = [];
    for (let at = 0; at < 20; at++) statuses.push((await other.ask(`${api}/topics`, { as: "admin@x" })).status);
    hits.push(statuses.join(" "));
  }
  expect(hits[0]).toBe(hits[1]);
  expect(hits[0]).toContain("503");
});
