import { expect, test } from "vitest";
import { NewestOnly, Overtaken } from "./newest-only.ts";

/** Returns a log, and a factory for work that logs its start and runs until its signal aborts. */
function pieces(): { log: string[]; piece: (name: string) => (signal: AbortSignal) => Promise<void> } {
  const log: string[] = [];
  const piece = (name: string) => async (signal: AbortSignal) => {
    log.push(`begin ${name}`);
    await new Promise<void>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
    );
  };
  return { log, piece };
}

test("newer work ends the work that runs, and replaces work that waits", async () => {
  const { log, piece } = pieces();
  const queue = new NewestOnly();
  const first = queue.run(piece("first"));
  await expect.poll(() => log).toEqual(["begin first"]);
  const second = queue.run(piece("second"));
  const third = queue.run(async () => "third");
  await expect(first).rejects.toThrow(Overtaken);
  await expect(second).rejects.toThrow(Overtaken);
  expect(await third).toBe("third");
  expect(log).toEqual(["begin first"]);
  expect(await queue.run(async () => "fourth")).toBe("fourth");
});

test("closing ends the work that runs, and what comes later does not begin", async () => {
  const { log, piece } = pieces();
  const queue = new NewestOnly();
  const running = queue.run(piece("running"));
  await expect.poll(() => log).toEqual(["begin running"]);
  const closed = queue.close("the server is stopping");
  const later = queue.run(piece("later"));
  await expect(running).rejects.toThrow("the server is stopping");
  await expect(later).rejects.toThrow("the server is stopping");
  await closed;
  expect(log).toEqual(["begin running"]);
});
