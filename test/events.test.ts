import { get, type ClientRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { startDev } from "./support/dev-app.ts";
import { oneMachineTopologies, startFiles, type Running } from "./support/topologies.ts";

// A station that streams its events, and the state of its reporters.
const station = String.raw`
-- station/station.ts --
import { setTimeout } from "node:timers/promises";
import { API, event, events, type Header } from "fw";

export interface Train { readonly line: number; readonly at: Date }
let ended = 0;

async function* trains(from: number, signal: AbortSignal) {
  try {
    for (let line = from; ; line++) {
      const train: Train = { line, at: new Date(0) };
      yield line === from ? event(train, { id: String(line), name: "arrival", retry: "2s" }) : train;
      if (line % 2 === 0) await setTimeout(60_000, undefined, { signal });
    }
  } finally {
    ended++;
  }
}
export const arrivals = API("GET /arrivals", (ctx, { last }: { last?: Header<string, "Last-Event-ID"> }) =>
  events(trains(Number(last ?? "0") + 1, ctx.signal), { retry: "1s", heartbeat: "20ms" }));
export const gone = API("GET /gone", () => ended);

async function* three() { yield "one\ntwo"; yield null; yield { n: 3 }; }
export const few = API("GET /few", () => events(three()));
async function* broken() { yield 1; throw new Error("the track is blocked"); }
export const blocked = API("GET /blocked", () => events(broken()));
async function* odd() { yield event(1, { id: "1\ndata: forged" }); }
export const forged = API("GET /forged", () => events(odd()));

let made = 0;
async function* flood() { for (;;) { made++; yield "x".repeat(65_536); } }
export const many = API("GET /many", () => events(flood()));
export const count = API("GET /count", () => made);
-- post/post.ts --
import { API, transaction } from "fw";
import { jobs } from "../board/board.ts";
export const mail = API("POST /mail", async (ctx) => { await transaction(ctx, (tx) => jobs.send(tx, { board: "b", n: 5 })); });
-- board/board.ts --
import { API, Entity, Errorf, events, Feed, Queue, transaction, Worker, type Header, type ID, type Int, type Path } from "fw";
export interface Change { readonly n: Int; readonly at: Date }
export interface Job { readonly board: string; readonly n: Int }
export interface Note { id: ID; n: Int }
export const changes = Feed<Change>("changes");
export const jobs = Queue<Job>("jobs");
export const notes = Entity<Note>("notes");
const changed = (n: number): Change => ({ n, at: new Date(n) });
export const watch = API("GET /boards/{id}/events", (ctx, { id, last }: { id: Path; last?: Header<string, "Last-Event-ID"> }) =>
  events(changes.events(ctx, id, { after: last }), { heartbeat: "20ms" }));
export interface Step { id: Path; n: Path<Int> }
export const change = API("POST /boards/{id}/{n}", (ctx, { id, n }: Step) => changes.publish(ctx, id, changed(n)));
export const undone = API("POST /undone/{id}/{n}", (ctx, { id, n }: Step): Promise<void> => transaction(ctx, async (tx) => {
  await changes.publish(tx, id, changed(n));
  throw Errorf(409, "undone");
}));
export const later = API("POST /later/{id}/{n}", async (ctx, { id, n }: Step) => { await jobs.send(ctx, { board: id, n }); });
export const work = Worker(jobs, (ctx, { board, n }) => transaction(ctx, async (tx) => {
  await notes.create(tx, { n });
  await changes.publish(tx, board, changed(n));
}));
`;

describe.each(oneMachineTopologies)("events %s", (...topology) => {
  let app: Running;
  let url: string;
  beforeAll(async () => {
    app = await startFiles(topology, Object.fromEntries(filesOf(station)));
    url = `http://localhost:${app.port}`;
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  const text = async (path: string): Promise<string> => (await fetch(url + path)).text();
  /** Collects the response of a path as it arrives, and whether the stream ended properly. */
  const listen = (path: string, headers: Record<string, string> = {}) => {
    const heard = {
      text: "",
      type: "",
      status: 200,
      over: "" as "" | "whole" | "cut",
      request: undefined as ClientRequest | undefined,
    };
    heard.request = get(url + path, { headers }, (answer) => {
      heard.status = answer.statusCode ?? 0;
      heard.type = answer.headers["content-type"] ?? "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (heard.text += chunk));
      answer.on("end", () => (heard.over = "whole"));
      answer.on("error", () => (heard.over = "cut"));
    }).on("error", () => (heard.over ||= "cut"));
    return heard;
  };

  test("go out as they come, with ids and names, and a comment where nothing does", async () => {
    const heard = listen("/arrivals");
    await expect.poll(() => heard.text).toMatch(/"line":2[^]*\n\n:\n\n:\n\n/);
    expect(heard.type).toBe("text/event-stream");
    const first = '{"line":1,"at":"1970-01-01T00:00:00.000Z"}';
    const second = '{"line":2,"at":"1970-01-01T00:00:00.000Z"}';
    const sent = `retry: 1000\n\nevent: arrival\nid: 1\nretry: 2000\ndata: ${first}\n\ndata: ${second}\n\n`;
    expect(heard.text.replaceAll(":\n\n", (beat, at: number) => (heard.text[at - 1] === "\n" ? "" : beat))).toBe(sent);
    const before = Number(await text("/gone"));
    heard.request?.destroy();
    await expect.poll(async () => Number(await text("/gone"))).toBe(before + 1);
  });

  test("of a feed reach every client of its key, from any process, if and only if they commit", async () => {
    const send = async (path: string): Promise<number> => (await fetch(url + path, { method: "POST" })).status;
    const numbersIn = (heard: { text: string }): number[] =>
      [...heard.text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
    const [one, two, other] = [listen("/boards/a/events"), listen("/boards/a/events"), listen("/boards/b/events")];
    await expect.poll(() => [one, two, other].every(({ text }) => text.includes(":"))).toBe(true);
    expect([await send("/boards/a/1"), await send("/undone/a/2"), await send("/later/a/3")]).toEqual([204, 409, 204]);
    await expect
      .poll(() => [numbersIn(one), numbersIn(two)])
      .toEqual([
        [1, 3],
        [1, 3],
      ]);
    expect(one.text).toContain('"at":"1970-01-01T00:00:00.001Z"');
    expect(await send("/boards/b/4")).toBe(204);
    await expect.poll(() => numbersIn(other)).toEqual([4]);
    expect(await send("/mail")).toBe(204);
    await expect.poll(() => numbersIn(other)).toEqual([4, 5]);
    const [id = ""] = /^id: .*/m.exec(one.text) ?? [];
    const back = listen("/boards/a/events", { "Last-Event-ID": id.slice("id: ".length) });
    await expect.poll(() => numbersIn(back)).toEqual([3]);
    for (const { request } of [one, two, other, back]) request?.destroy();
  });

  test("go on where a client that comes back has left off", async () => {
    const heard = listen("/arrivals", { "Last-Event-ID": "6" });
    await expect.poll(() => heard.text).toContain('"line":8');
    expect(heard.text).not.toContain('"line":6');
    heard.request?.destroy();
  });

  test("end with their iterable; one that fails is cut, and no text begins another line", async () => {
    expect(await text("/few")).toBe('data: "one\\ntwo"\n\ndata: null\n\ndata: {"n":3}\n\n');
    const blocked = listen("/blocked");
    // If the front has not received the response yet, it responds with an error.
    await expect.poll(() => (blocked.status === 200 ? blocked.over : "cut")).toBe("cut");
    expect(
      await fetch(`${url}/forged`)
        .then((answer) => answer.text())
        .catch(() => "cut"),
    ).not.toContain("data: forged");
    await app.says("the id of an event must be one line");
  });

  test("wait for a client that does not read", async () => {
    const heard = get(`${url}/many`, (answer) => answer.pause()).on("error", () => {});
    await expect.poll(async () => Number(await text("/count"))).toBeGreaterThan(2);
    let before = -1;
    await expect
      .poll(
        async () => {
          const now = Number(await text("/count"));
          const rests = now === before;
          before = now;
          return rests;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(before).toBeLessThan(2_000);
    heard.destroy();
  });

  test("end whole when the application stops, which does not wait for them", async () => {
    const args = topology[0] === "as services" ? ["--services"] : [];
    await using stopped = await startDev(Object.fromEntries(filesOf(station)), ...args);
    const url = `http://localhost:${stopped.port}`;
    const heard = { text: "", over: "" };
    get(`${url}/arrivals`, (answer) => {
      answer.setEncoding("utf8").on("data", (chunk: string) => (heard.text += chunk));
      answer.on("end", () => (heard.over = "whole"));
      answer.on("error", () => (heard.over = "cut"));
    }).on("error", () => (heard.over ||= "cut"));
    await expect.poll(() => heard.text).toContain('"line":2');
    stopped.process.kill("SIGINT");
    await stopped.exited;
    // The end of the drain would have cut the response off.
    expect(heard.over).toBe("whole");
  });
});
