import { getEventListeners } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { ID } from "../../declare/binding.ts";
import type { Context } from "../../declare/context.ts";
import { Entity } from "../../declare/entity.ts";
import { Job } from "../../declare/job.ts";
import { changesOf } from "../../platform/changes.ts";
import { openServed } from "../../platform/loopback/testing/served.ts";
import { withMethods } from "../../platform/with-methods.ts";
import { beginTask, reportTask } from "../background/run-records.ts";
import { definitionsOf } from "../definitions.ts";
import { bundleOf, documentOf, pages, start } from "../testing/app.ts";
import { liveToken } from "./shown.ts";

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

test("browsers of the same user share renders, each with its own form token, unless the page depends on the browser", async () => {
  const server = await openServed(definitionsOf({ entities, followsPages: true }));
  onTestFinished(() => server.dispose());
  const renders = { shared: 0, personal: 0 };
  const page = (kind: keyof typeof renders, describe: (ctx: Context) => string) => ({
    live: true as const,
    run: async (ctx: Context) => {
      renders[kind]++;
      return documentOf(`${(await tickets.find(ctx, "1"))?.title ?? "none"} ${describe(ctx)} ${liveToken(ctx)}`);
    },
  });
  const routes = pages({ "GET /shared": page("shared", () => "all"), "GET /personal": page("personal", agentOf) });
  const bundle = { ...bundleOf(routes), entities, keepsData: true as const, followsPages: true as const };
  await using app = await start(bundle, { platform: server.client });
  const ending = new AbortController();
  const open = async (path: string, agent: string, language = "en") => {
    const headers = { "FW-Live": "x", "User-Agent": agent, "Accept-Language": language };
    const answer = await fetch(app.url + path, { headers, signal: ending.signal });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    return async () =>
      (JSON.parse(/^data: (.*)$/m.exec((await reader?.read())?.value ?? "")?.[1] ?? "") as string).split(" ");
  };
  const others = await Promise.all([..."abcde"].map((agent) => open("/shared", agent)));
  const french = await open("/shared", "a", "fr");
  const personal = await Promise.all([..."abc"].map((agent) => open("/personal", agent)));
  await Promise.all([...others, french, ...personal].map((next) => next()));
  renders.shared = renders.personal = 0;
  await server.local.entities.upsert({ kind: "tickets", id: "1" }, { title: "changed" });
  const documents = await Promise.all([...others, french].map((next) => next()));
  expect(documents.map(([title, text]) => `${title} ${text}`)).toEqual(Array.from({ length: 6 }, () => "changed all"));
  expect(new Set(documents.map(([, , token]) => token)).size).toBe(6);
  expect((await Promise.all(personal.map((next) => next()))).map(([, agent]) => agent)).toEqual(["a", "b", "c"]);
  expect(renders).toEqual({ shared: 2, personal: 3 });
  ending.abort();
});

test("a browser that begins to follow a page never gets a render from before its own page", async () => {
  const server = await openServed(definitionsOf({ entities, followsPages: true }));
  onTestFinished(() => server.dispose());
  // Notifications about another machine's writes have not arrived yet.
  const notifications: (() => void)[] = [];
  const changes = {
    watch: (_kinds: unknown, notify: (keys: undefined) => void) => void notifications.push(() => notify(undefined)),
  };
  const platform = withMethods(server.client, { changes });
  let renders = 0;
  const routes = pages({
    "GET /board": {
      live: true,
      run: async (ctx) => documentOf(`${(await tickets.find(ctx, "1"))?.title ?? "none"} ${++renders}`),
    },
  });
  const bundle = { ...bundleOf(routes), entities, keepsData: true as const, followsPages: true as const };
  await using app = await start(bundle, { platform });
  const ending = new AbortController();
  const open = async (shown: string) => {
    const answer = await fetch(`${app.url}/board`, { headers: { "FW-Live": shown }, signal: ending.signal });
    return answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  };
  const first = await open("x");
  expect((await first?.read())?.value).toContain(`data: "none 1"`);
  await server.local.entities.upsert({ kind: "tickets", id: "1" }, { title: "sent" });
  expect((await (await open("hash of the page with the sent ticket"))?.read())?.value).toContain(`data: "sent 2"`);
  expect((await (await open("another hash"))?.read())?.value).toContain(`data: "sent 3"`);
  // This process has not been notified of the change to the first browser's page yet.
  for (const notify of notifications) notify();
  expect((await first?.read())?.value).toContain(`data: "sent 4"`);
  ending.abort();
});

test("a render keeps its form token while a slow browser gets the document of an earlier one", async () => {
  const server = await openServed(definitionsOf({ entities, followsPages: true }));
  onTestFinished(() => server.dispose());
  const padding = "x".repeat(2_000_000);
  let half: (() => Promise<void>) | undefined;
  const routes = pages({
    "GET /board": {
      live: true,
      run: async (ctx) => {
        const title = (await tickets.find(ctx, "1"))?.title ?? "none";
        const first = liveToken(ctx);
        await half?.();
        return documentOf(`${title} ${first} ${liveToken(ctx)} ${padding}`);
      },
    },
  });
  const bundle = { ...bundleOf(routes), entities, keepsData: true as const, followsPages: true as const };
  await using app = await start(bundle, { platform: server.client });
  const ending = new AbortController();
  const open = async () => {
    const answer = await fetch(`${app.url}/board`, { headers: { "FW-Live": "x" }, signal: ending.signal });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    return async (title: string): Promise<readonly string[]> => {
      for (;;) {
        const [, ...tokens] = new RegExp(`data: "${title} (\\S+) (\\S+) x`).exec(text) ?? [];
        if (tokens.length > 0) return tokens;
        text = text.slice(-500) + ((await reader?.read())?.value ?? "");
      }
    };
  };
  const write = async (title: string) => server.local.entities.upsert({ kind: "tickets", id: "1" }, { title });
  const slow = await open();
  const fast = await open();
  await fast("none");
  for (let n = 1; n < 8; n++) {
    await write(`title${n}`);
    await fast(`title${n}`);
  }
  let finish = (): void => {};
  const isHalf = new Promise<void>((begin) => {
    half = () => {
      begin();
      return new Promise((resolve) => (finish = resolve));
    };
  });
  await write("last");
  await isHalf;
  await slow("title7");
  finish();
  const [first, second] = await fast("last");
  expect(first).toBe(second);
  ending.abort();
});

const agentOf = (ctx: Context): string => ctx.client.userAgent;

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
