import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { Connections } from "./connections.ts";
import { targetOf } from "./hosts.ts";
import { google } from "./testing/google.ts";
import { readText } from "./read-text.ts";

/** Starts a response, and returns its body with functions that send the rest. */
async function beginAnswer() {
  const answers: ServerResponse[] = [];
  const { url } = await google((_, res) => {
    answers.push(res);
    res.writeHead(200).write("{");
  });
  const connections = new Connections();
  onTestFinished(() => connections.close());
  const outgoing = { method: "GET", path: "/", headers: {}, answerMs: 600_000 };
  const { body } = await connections.send({ ...outgoing, target: targetOf(new URL(url)) });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  return { body, send: (text: string) => void answers[0]?.write(text), end: () => void answers[0]?.end() };
}

test("an answer whose bytes come one by one is given up 15 seconds after it has begun", async () => {
  const { body, send } = await beginAnswer();
  const read = readText(body).catch((error: unknown) => error);
  for (let second = 1; second < 15; second++) {
    const came = new Promise((resolve) => body.once("data", resolve));
    send(" ");
    await came;
    vi.advanceTimersByTime(1_000);
  }
  expect(body.destroyed).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(await read).toEqual(new Error("the response did not end within 15000 ms"));
  expect(body.destroyed).toBe(true);
});

test("an answer that ends in time is read, and no timer is left", async () => {
  const { body, send, end } = await beginAnswer();
  const read = readText(body);
  send("}");
  vi.advanceTimersByTime(14_000);
  end();
  expect(await read).toBe("{}");
  expect(vi.getTimerCount()).toBe(0);
});
