import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestApp } from "fw/testing";
import { addTask, finishTask, listTasks } from "./tasks.ts";

test("a new task appears in the list and can be finished", async () => {
  await using app = await newTestApp();
  const { id } = await addTask.call(app.ctx(), { title: "Write the first test" });
  await finishTask.call(app.ctx(), { id });
  const [task] = await listTasks.call(app.ctx(), {});
  assert.deepEqual([task?.title, task?.done], ["Write the first test", true]);
});

test("a task without a title is rejected with 422", async () => {
  await using app = await newTestApp();
  const response = await app.fetch("/tasks", { method: "POST", body: { title: " " } });
  assert.equal(response.status, 422);
  assert.deepEqual(await response.json(), { error: "a task needs a title" });
});
