import { appendFileSync, chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { files } from "../testing/files.ts";
import { entryOf, type LogEntry } from "./entry.ts";
import { LogFile, logPaths } from "./file.ts";
import { followLog } from "./follow.ts";
import { readLog } from "./read.ts";

const open: Disposable[] = [];
afterEach(() => open.splice(0).forEach((each) => each[Symbol.dispose]()));

function root(): string {
  const directory = files();
  open.push(directory);
  return directory.root;
}

const entry = (message: string, at = Date.now(), service = "shop"): LogEntry => ({
  time: new Date(at).toISOString(),
  severity: "INFO",
  service,
  message,
  fields: {},
});

const everything = { since: 0, most: 1_000_000, service: undefined };

test("what a service wrote is an entry: a record with its fields, or text without severity", () => {
  const time = "2026-01-01T00:00:00.000Z";
  const line = JSON.stringify({
    severity: "ERROR",
    time,
    message: "no",
    req: "r1",
    fields: { error: { stack: "Error\n at x" }, service: "forged" },
  });
  const fields = { req: "r1", error: { stack: "Error\n at x" }, "fields.service": "forged" };
  expect(entryOf("shop", line)).toEqual({ time, severity: "ERROR", service: "shop", message: "no", fields });
  const now = new Date(0);
  for (const text of ["plain", "{ broken", `{ "message": "only" }`, `["x"]`]) {
    const plain = { time: now.toISOString(), severity: "DEFAULT", service: "shop", message: text, fields: {} };
    expect(entryOf("shop", text, undefined, now)).toEqual(plain);
    expect(entryOf("shop", text, "stdout", now)).toEqual({ ...plain, severity: "INFO" });
    expect(entryOf("shop", text, "stderr", now)).toEqual({ ...plain, severity: "ERROR" });
  }
});

test("only this user can read the log, also one that was readable before", () => {
  const at = root();
  const log = new LogFile(at, () => ({}));
  log.append(entry("one"));
  log.flush();
  const { current } = logPaths(at);
  expect(statSync(current).mode & 0o777).toBe(0o600);
  expect(statSync(join(current, "..")).mode & 0o777).toBe(0o700);
  chmodSync(current, 0o644);
  log.append(entry("two"));
  log.flush();
  expect(statSync(current).mode & 0o777).toBe(0o600);
});

test("the log is bounded, whoever writes it, and its newest entries stay", () => {
  const at = root();
  const logs = [new LogFile(at, () => ({})), new LogFile(at, () => ({}))];
  for (let i = 0; i < 60; i += 1) {
    const log = logs[i % 2];
    log?.append(entry(`${i} ${"x".repeat(500_000)}`));
    log?.flush();
  }
  const directory = join(logPaths(at).current, "..");
  const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  expect(sizes.length).toBeLessThanOrEqual(2);
  for (const size of sizes) expect(size).toBeLessThan(5_000_000);
  const numbers = readLog(at, everything).map(({ message }) => Number.parseInt(message, 10));
  expect(numbers.at(-1)).toBe(59);
  expect(numbers).toEqual(Array.from(numbers, (_, i) => 60 - numbers.length + i));
});

test("values of secrets are not written, wherever they stand", () => {
  const at = root();
  const log = new LogFile(at, () => ({ KEY: 'a"b\\c', SHORT: "e", UNSET: undefined }));
  log.append({ ...entry('the key is a"b\\c'), fields: { deep: { of: ['a"b\\c!'] } } });
  log.flush();
  expect(readFileSync(logPaths(at).current, "utf8")).not.toContain('a\\"b');
  expect(readLog(at, everything)).toMatchObject([
    { message: "the key is [secret KEY]", fields: { deep: { of: ["[secret KEY]!"] } } },
  ]);
});

test("a secret with quotes or line breaks is replaced in JSON inside of a text, too", () => {
  const secret = '-----BEGIN "KEY"-----\nabc\\d';
  const log = new LogFile(root(), () => ({ KEY: secret }));
  const redacted = log.redact({ body: JSON.stringify({ of: `<${secret}>` }) });
  expect(redacted).toEqual({ body: '{"of":"<[secret KEY]>"}' });
});

test("a secret of digits is left out as a whole, and no number is broken by it", () => {
  const at = root();
  const entries: LogEntry[] = [];
  const log = new LogFile(
    at,
    () => ({ PIN: "4711", LONG: "4711-secret" }),
    (kept) => void entries.push(kept),
  );
  const fields = { order: 94711, pin: 4711, text: "94711 4711-secret", a4711: [4711.5, true, null] };
  log.append({ ...entry("hi 4711"), fields });
  log.flush();
  const expected = {
    message: "hi [secret PIN]",
    fields: {
      order: 94711,
      pin: "[secret PIN]",
      text: "9[secret PIN] [secret LONG]",
      "a[secret PIN]": [4711.5, true, null],
    },
  };
  expect(entries).toMatchObject([expected]);
  expect(readLog(at, everything)).toMatchObject([expected]);
});

test("a secret that equals a word of fw changes no member of fw's records", () => {
  const words = ["events", "request", "severity", "INFO", "fields", "trace", "error", "stack", "message"];
  const log = new LogFile(root(), () => Object.fromEntries(words.map((word, i) => [`S${i}`, word])));
  const error = { message: "full", stack: "Error: full" };
  const event = { kind: "request", severity: "INFO", service: "events", fields: { trace: "4f2a", error } };
  expect(log.redact({ events: [event] })).toEqual({ events: [event] });
  expect(log.redact({ fields: { "an events": { request: "a trace of it" } }, text: "INFO" })).toEqual({
    fields: { "an [secret S0]": { "[secret S1]": "a [secret S5] of it" } },
    text: "[secret S3]",
  });
});

test("a message that a process printed is bounded", () => {
  const at = root();
  const entries: LogEntry[] = [];
  const log = new LogFile(
    at,
    () => ({}),
    (kept) => void entries.push(kept),
  );
  log.append(entry("x".repeat(3_000_000)));
  log.flush();
  expect(entries[0]?.message.length).toBeLessThan(140_000);
  expect(entries[0]?.message.slice(-14)).toBe("… 2868928 more");
});

test("the newest entries of a window and a service are read, without a line that is not whole", () => {
  const at = root();
  const log = new LogFile(at, () => ({}));
  for (let i = 0; i < 10; i += 1) log.append(entry(String(i), i * 1_000, i % 2 === 0 ? "shop" : "bank"));
  log.flush();
  appendFileSync(logPaths(at).current, `{"time":"1970`);
  const read = (since: number, most: number, service?: string): string[] =>
    readLog(at, { since, most, service }).map(({ message }) => message);
  expect(read(0, 3)).toEqual(["7", "8", "9"]);
  expect(read(7_000, 100)).toEqual(["7", "8", "9"]);
  expect(read(0, 2, "shop")).toEqual(["6", "8"]);
  expect(read(20_000, 100)).toEqual([]);
  expect(readLog(join(at, "nowhere"), everything)).toEqual([]);
});

test("who follows the log gets each entry once, over the change of files too", async () => {
  const at = root();
  const log = new LogFile(at, () => ({}));
  log.append(entry("before"));
  log.flush();
  const ending = new AbortController();
  const lines: string[] = [];
  const following = (async () => {
    for await (const entries of followLog(at, ending.signal))
      lines.push(...entries.map(({ message }) => message.slice(0, 2)));
  })();
  const expected: string[] = [];
  for (let i = 10; i < 22; i += 1) {
    log.append(entry(`${i}${"x".repeat(900_000)}`));
    log.flush();
    expected.push(String(i));
    if (i % 3 === 0) await expect.poll(() => lines).toEqual(expected);
  }
  await expect.poll(() => lines).toEqual(expected);
  ending.abort();
  await following;
});
