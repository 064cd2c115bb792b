import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Context } from "../declare/context.ts";
import { Cron } from "../declare/cron.ts";
import { Job } from "../declare/job.ts";
import { Policy } from "../declare/policy.ts";
import { Queue } from "../declare/queue.ts";
import { Runner } from "../declare/runner.ts";
import { Singleton } from "../declare/singleton.ts";
import { Worker } from "../declare/worker.ts";
import { hostile, type Hostile } from "../lib/testing/hostile.ts";
import { tries } from "../lib/testing/tries.ts";
import { jsonLine, readableLine } from "./observe/log-line.ts";
import type { LogRecord } from "./observe/log.ts";
import { apis, bundleOf, documentOf, pages, siteOf, start } from "./testing/app.ts";
import { cron, destination, runner, worker, working } from "./testing/background.ts";

/** The next value that the code under test throws. */
let next: Hostile = { what: "nothing", make: () => new Error("nothing") };

function throwIt(): never {
  throw next.make();
}

async function rejectWithIt(): Promise<never> {
  await Promise.resolve();
  throw next.make();
}

function failingStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.error(next.make()) });
}

/** The session of alice, returned for every client with the cookie. */
const identity = { id: "alice", email: "a@b.c", name: "", provider: "social", emailVerified: true, roles: [] } as const;
const sessions = { find: () => ({ identity, csrf: "A".repeat(43) }) };
const headers = { cookie: `fw_session=${"a".repeat(43)}` };
const allow = (
  decide: () => unknown,
): { allow: { declaration: ReturnType<typeof Policy>; name: string }; signIn: true } => ({
  signIn: true,
  allow: { declaration: Policy(decide as never), name: "Odd" },
});

/** Application code that runs for a request and can throw, by route. */
const routes = {
  "GET /sync": throwIt,
  "GET /async": rejectWithIt,
  "GET /decode": { decode: throwIt },
  "GET /encode": { encode: throwIt, run: () => ({}) },
  "GET /policy": { ...allow(throwIt) },
  "GET /policy-async": { ...allow(rejectWithIt) },
  "GET /policy-verdict": { ...allow(() => next.make()), run: () => throwIt() },
  "GET /stream": () => ({ type: "text/plain", stream: failingStream }),
  "GET /opening": () => ({ type: "text/plain", stream: throwIt }),
  "GET /logged": (ctx: Context) => {
    ctx.log.info(next.make() as string, { it: next.make(), deep: { in: [next.make()] } });
    ctx.log.warn("with these fields", next.make() as Record<string, unknown>);
    return throwIt();
  },
};

const lines = (logs: readonly LogRecord[]): string[] =>
  logs.flatMap((record) => [jsonLine(record), readableLine(record)]);

test("whatever a request's code throws is an opaque 500 that the log explains", async () => {
  const site = siteOf({ templates: {} });
  const status = (): never => throwIt();
  const endpoints = [
    ...apis(routes),
    ...pages({ "GET /page": throwIt, "GET /page-async": rejectWithIt, "GET /result": () => documentOf("") }),
  ];
  await using app = await start(bundleOf(endpoints, { site, status }), { sessions });
  await fc.assert(
    fc.asyncProperty(hostile, async (value) => {
      next = value;
      for (const route of [...Object.keys(routes), "GET /page", "GET /page-async"]) {
        app.logs.length = 0;
        const answer = await fetch(app.url + route.slice(4), { headers });
        const text = await answer.text();
        // A forged error with a status counts as a refusal only if its fields can be read.
        if (answer.status === 500) expect(lines(app.logs).join("\n"), route).toContain("ERROR");
        else expect([400, 403, 404], `${route} ${text}`).toContain(answer.status);
      }
    }),
    { numRuns: tries(8) },
  );
  next = { what: "an error", make: () => new Error("plain") };
  expect((await fetch(`${app.url}/result`, { headers })).status).toBe(200);
});

describe("whatever work in the background throws is logged, and the work goes on as after any failure", () => {
  const emails = Queue<string>("emails");
  const job = Job<object>("sum");
  const ticking = Cron("tick", "* * * * *", rejectWithIt);
  const rejectingSingleton = Singleton("kept", rejectWithIt);

  test("of workers, runners, crons and singletons", async () => {
    const { app, clock, ctx, logs, platform } = await working({
      destinations: [destination(emails), destination(job)],
      consumers: [
        worker(Worker(emails, throwIt), { maxAttempts: 1 }),
        runner(Runner(job, throwIt) as never, { maxAttempts: 1 }),
      ],
      crons: [cron(ticking)],
      singletons: [{ declaration: rejectingSingleton, name: "kept", service: "web-kept" }],
    });
    await fc.assert(
      fc.asyncProperty(hostile, async (value) => {
        next = value;
        logs.length = 0;
        await emails.send(ctx, "one");
        await job.start(ctx, {});
        await platform.dispatcher.idle({ all: true });
        await clock.advance(60_000);
        await expect.poll(() => failed(logs)).toEqual(["emails", "kept", "sum", "tick"]);
        expect(lines(logs).every((line) => typeof line === "string")).toBe(true);
        const dead = await platform.dispatcher.dead();
        expect(dead.every(({ reason }) => typeof reason === "string")).toBe(true);
      }),
      { numRuns: tries(15) },
    );
    expect(app.platform).toBe(platform);
  });
});

/** Returns the sources of the failures in the log, sorted. */
function failed(logs: readonly LogRecord[]): string[] {
  const sources = logs
    .filter(({ level }) => level === "error")
    .map(
      ({ tags }) => tags["cron"] ?? tags["singleton"] ?? tags["job"] ?? tags["source"]?.slice("queue:".length) ?? "",
    );
  return [...new Set(sources)].toSorted();
}
