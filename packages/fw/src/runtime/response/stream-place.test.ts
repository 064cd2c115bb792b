import { get } from "node:http";
import { expect, test, vi } from "vitest";
import { blob } from "../../declare/blob.ts";
import { events } from "../../declare/events.ts";
import { streamPlaces, streamsOfAddress } from "../access/places.ts";
import type { Request } from "../request.ts";
import { apis, bundleOf, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { takeStreamPlace, longAnswerMs } from "./stream-place.ts";

async function* quiet(): AsyncGenerator<number> {
  yield 1;
  await new Promise(() => {});
}

test("an address has only so many event streams and long answers, and ordinary answers beside them", async () => {
  let cancelled = 0;
  await using app = await start(
    bundleOf(
      apis({
        "GET /events": () => events(quiet()),
        "GET /file": () =>
          blob(new ReadableStream({ pull: (it) => it.close(), cancel: () => void cancelled++ }), {
            type: "text/plain",
          }),
        "GET /json": () => 1,
      }),
    ),
  );
  const places = Array.from({ length: streamsOfAddress - 1 }, () =>
    streamPlaces.takeUnchecked({ ip: "127.0.0.1", user: undefined }),
  );
  expect((await request(app.port, "/file")).status).toBe(200);
  const stream = get({ port: app.port, host: "127.0.0.1", path: "/events" });
  const answer = await new Promise<NodeJS.ReadableStream>((resolve) => stream.once("response", resolve));
  answer.resume();
  const refusal = { status: 429, body: '{"error":"too many open connections; try again later"}' };
  expect(await request(app.port, "/events")).toMatchObject(refusal);
  expect(await request(app.port, "/file")).toMatchObject(refusal);
  expect(cancelled).toBe(1);
  expect((await request(app.port, "/json")).status).toBe(200);
  stream.destroy();
  await expect.poll(async () => (await request(app.port, "/file")).status).toBe(200);
  for (const leave of places) leave();
});

test("an answer counts as a stream once it has lasted long", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const over: (() => void)[] = [];
  const request = {
    exchange: { onceOver: (listener: () => void) => over.push(listener) },
    ctx: { client: { ip: "long" } },
  } as unknown as Request;
  for (let i = 0; i < streamsOfAddress; i++) takeStreamPlace(request, false);
  vi.advanceTimersByTime(longAnswerMs - 1);
  takeStreamPlace(request, false);
  vi.advanceTimersByTime(1);
  expect(() => takeStreamPlace(request, false)).toThrow(expect.objectContaining({ status: 429 }));
  for (const listener of over) listener();
  takeStreamPlace(request, false);
  vi.useRealTimers();
});
