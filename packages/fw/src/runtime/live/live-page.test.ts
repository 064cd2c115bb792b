import { getEventListeners } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { ID } from "../../declare/binding.ts";
import { Entity } from "../../declare/entity.ts";
import { Job } from "../../declare/job.ts";
import { changesOf } from "../../platform/changes.ts";
import { openServed } from "../../platform/loopback/testing/served.ts";
import { withMethods } from "../../platform/with-methods.ts";
import { beginTask, reportTask } from "../background/run-records.ts";
import { definitionsOf } from "../definitions.ts";
import { bundleOf, documentOf, pages, start } from "../testing/app.ts";

interface Ticket {
  id: ID;
  title: string;
}
const tickets = Entity<Ticket>("tickets");
const entities = [
  { declaration: tickets as never, name: "tickets", id: "id", indexed: [], transient: [], indexes: [] },
];

test("an open page keeps its subscription from render to render, and adds no listener with each", async () => {
  const server = await openServed(definitionsOf({ entities, followsPages: true }));
  onTestFinished(() => server.dispose());
  const changes = changesOf(server.client);
  let subscriptions = 0;
  const platform = withMethods(server.client, {
    changes: {
      watch(...args) {
        subscriptions++;
        changes.watch(...args);
      },
    },
  });
  const listeners: number[] = [];
  const board = pages({
    "GET /board": {
      live: true,
      run: async (ctx) => {
        listeners.push(getEventListeners(ctx.signal, "abort").length);
        return documentOf((await tickets.find(ctx, "1"))?.title ?? "none");
      },
    },
  });
  const bundle = { ...bundleOf(board), entities, keepsData: true as const, followsPages: true as const };
  await using app = await start(bundle, { platform });
  const ending = new AbortController();
  const answer = await fetch(`${app.url}/board`, { headers: { "FW-Live": "x" }, signal: ending.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain(`data: "none"`);
  for (let n = 0; n < 5; n++) {
    await server.local.entities.upsert({ kind: "tickets", id: "1" }, { title: `title ${n}` });
    expect((await reader?.read())?.value).toContain(`data: "title ${n}"`);
  }
  expect(subscriptions).toBe(1);
  expect(new Set(listeners.slice(1)).size).toBe(1);
  ending.abort();
});

test("an open page shows the progress of a run", async () => {
  const server = await openServed(definitionsOf({ entities, followsPages: true, recordsRuns: true }));
  onTestFinished(() => server.dispose());
  const imports = Job("import", { history: "1d" });
  const page = pages({
    "GET /import": { live: true, run: async (ctx) => documentOf((await imports.get(ctx, "run")).note ?? "none") },
  });
  const task = { run: "run", job: "import", tasks: 1, task: 0, attempt: 1, isLast: true, deadline: 1e6, history: 1e6 };
  await beginTask(server.local, task);
  const bundle = {
    ...bundleOf(page),
    keepsData: true as const,
    followsPages: true as const,
    recordsRuns: true as const,
  };
  await using app = await start(bundle, { platform: server.client });
  const ending = new AbortController();
  const answer = await fetch(`${app.url}/import`, { headers: { "FW-Live": "x" }, signal: ending.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain(`data: "none"`);
  await reportTask(server.local, task, { progress: 0.5, note: "half of the rows" });
  expect((await reader?.read())?.value).toContain(`data: "half of the rows"`);
  ending.abort();
});
