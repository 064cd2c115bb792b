import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ExchangeLog } from "./exchange-log.ts";
import { RecordedBody } from "./recorded-body.ts";
import { RecordedExchange } from "./recorded-exchange.ts";

function exchangeOf(number: number, bodyBytes: number): RecordedExchange {
  const requestBody = new RecordedBody();
  requestBody.add(Buffer.alloc(bodyBytes, String(number)));
  const exchange = new RecordedExchange({
    target: `/orders/${number}`,
    requestHeaders: ["Content-Type", "text/plain"],
    requestBody,
    responseHeaders: ["Content-Type", "text/plain", "Set-Cookie", ["a=1", "b=2"], "X-Request-Id", `id-${number}.`],
  });
  exchange.addToResponse(`é${number}`);
  return exchange;
}

test("the newest exchanges stay whole, whatever their sizes and wherever the block of bytes is full", () => {
  const bounds = { entries: 5, bytes: 2_000 };
  const log = new ExchangeLog(bounds);
  let fewest = bounds.entries;
  let most = 0;
  for (let number = 1; number <= 500; number += 1) {
    const bodyBytes = (number * 7_919) % 500;
    log.add(exchangeOf(number, bodyBytes));
    expect(log.last).toBe(number);
    const views = log.after(0);
    expect(views.map(({ id }) => id)).toEqual(views.map((_, i) => `id-${number - views.length + 1 + i}.`));
    expect(views.at(-1)?.requestBody).toEqual({
      bytes: bodyBytes,
      text: Buffer.alloc(bodyBytes, String(number)).toString(),
      isCut: false,
    });
    for (const view of views) {
      expect(view.target).toBe(`/orders/${view.id.slice(3, -1)}`);
      expect(view.responseBody).toMatchObject({ text: `é${view.id.slice(3, -1)}` });
      expect(view.responseHeaders.filter(([name]) => name === "Set-Cookie")).toHaveLength(2);
    }
    expect(log.find(`id-${number}.`)).toEqual(views.at(-1));
    if (number > bounds.entries) [fewest, most] = [Math.min(fewest, views.length), Math.max(most, views.length)];
  }
  expect([2, 3]).toContain(fewest);
  expect(most).toBe(bounds.entries);
  expect(log.find("id-1.")).toBeUndefined();
});

test("exchanges of other processes are in the same log, and one larger than the log is not", () => {
  const local = new ExchangeLog({ entries: 4, bytes: 10_000 });
  local.add(exchangeOf(1, 10));
  const log = new ExchangeLog({ entries: 4, bytes: 10_000 });
  for (const view of local.after(0)) log.addView({ ...view, target: "/é" });
  log.add(exchangeOf(2, 10));
  log.add(exchangeOf(3, 9_990));
  expect(log.after(0).map(({ target }) => target)).toEqual(["/é", "/orders/2"]);
  expect(log.find("id-1.")).toEqual({ ...local.find("id-1."), target: "/é" });
  expect(log.after(1)).toHaveLength(1);
  // A number from an earlier process.
  expect(log.after(99)).toHaveLength(2);
});

test("recorded exchanges leave no objects on the heap, which scavenges would copy", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const log = new ExchangeLog({ entries: 5_000, bytes: 16_000_000 });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let number = 1; number <= 4_000; number += 1) log.add(exchangeOf(number, 1_000));
  collectGarbage();
  // 100 bytes each: an object alone would take as many.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(400_000);
  expect(log.after(0)).toHaveLength(4_000);
});
