import { expect, onTestFinished, test, vi } from "vitest";
import type { Context } from "../declare/context.ts";
import { Errorf } from "../declare/errors.ts";
import { blob } from "../declare/blob.ts";
import { apis, bundleOf, pages, start, type TestApp } from "./testing/app.ts";

/** A handler that waits until its signal aborts and then runs a given action. */
class Waiting {
  ctx: Context | undefined;
  readonly run: (ctx: Context) => Promise<unknown>;

  constructor(after: () => unknown) {
    this.run = (ctx) => {
      this.ctx = ctx;
      return new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve())).then(after);
    };
  }
}

async function serving(endpoints: Parameters<typeof bundleOf>[0], timeout?: number): Promise<TestApp> {
  const bundle = bundleOf(endpoints);
  const packages = bundle.packages.map((each) => ({ ...each, ...(timeout !== undefined && { timeout }) }));
  const app = await start({ ...bundle, packages });
  onTestFinished(() => app.close());
  return app;
}

test.each([
  ["it goes on to answer", () => "late"],
  ["it fails of it", () => Promise.reject(new DOMException("aborted", "AbortError"))],
  ["it fails otherwise", () => Promise.reject(Errorf(422, "late"))],
])("a handler that takes too long is answered 504, and told by its signal: %s", async (_, after) => {
  const waiting = new Waiting(after);
  const app = await serving(apis({ "GET /slow": waiting.run, "GET /quick": async () => "quick" }), 30);
  const answer = await fetch(`${app.url}/slow`);
  expect([answer.status, await answer.json()]).toEqual([504, { error: "the service took too long to answer" }]);
  expect(String(waiting.ctx?.signal.reason)).toBe("DeadlinePassed: the deadline of 30ms has passed");
  expect(await (await fetch(`${app.url}/quick`)).json()).toBe("quick");
  expect(app.logs).toMatchObject([
    {
      level: "warn",
      message: "the service took too long to answer",
      tags: { route: "GET /slow" },
      fields: { timeout: "30ms" },
    },
  ]);
});

test("on a page the sentence is its text", async () => {
  const app = await serving(pages({ "GET /slow": new Waiting(() => undefined).run }), 30);
  const answer = await fetch(`${app.url}/slow`);
  expect([answer.status, await answer.text()]).toEqual([504, "the service took too long to answer"]);
});

test("an answer that has begun is cut off", async () => {
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
  const app = await serving(apis({ "GET /stream": async () => blob(endless, { type: "text/plain" }) }), 50);
  const answer = await fetch(`${app.url}/stream`);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

test("an answer may take as long as its service says", async () => {
  const [short, long] = [await serving(apis({ "GET /": new Waiting(() => "x").run }), 40), new Waiting(() => "done")];
  const patient = await serving(apis({ "GET /": long.run }));
  const answer = fetch(`${patient.url}/`).catch(() => undefined);
  expect((await fetch(`${short.url}/`)).status).toBe(504);
  expect(long.ctx?.signal.aborted).toBe(false);
  await patient.close();
  await answer;
});

test("an answer in time is not looked after any longer, and no timer is left", async () => {
  const stopped = vi.spyOn(globalThis, "clearInterval");
  onTestFinished(() => stopped.mockRestore());
  const app = await serving(apis({ "GET /": async () => "quick" }), 40);
  expect((await fetch(`${app.url}/`)).status).toBe(200);
  await expect.poll(() => stopped.mock.calls.filter(([timer]) => timer !== undefined)).not.toEqual([]);
  expect(app.logs).toEqual([]);
});
