import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestApp } from "fw/testing";
import { addTask, finishTask, listTasks } from "./tasks.ts";

test("a task that is added is listed, and is done once it is finished", async () => {
  await using app = await newTestApp();
  const { id } = await addTask.call(app.ctx(), { title: "Write the first test" });
  await finishTask.call(app.ctx(), { id });
  const [task] = await listTasks.call(app.ctx(), {});
  assert.deepEqual([task?.title, task?.done], ["Write the first test", true]);
});

test("a task without a title is refused", async () => {
  await using app = await newTestApp();
  const answer = await app.fetch("/tasks", { method: "POST", body: { title: " " } });
  assert.equal(answer.status, 422);
  assert.deepEqual(await answer.json(), { error: "a task needs a title" });
});
