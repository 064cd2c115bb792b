import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { jsonLine, lineSink, readableLine } from "./log-line.ts";
import { type LogRecord, TaggedLogger } from "./log.ts";

const at = new Date("2026-01-02T03:04:05.678Z");
const record = (more: Partial<LogRecord>): LogRecord => ({
  at,
  level: "info",
  message: "saved",
  tags: { req: "7f" },
  fields: {},
  ...more,
});
const hostile = "a\nERROR forged\r\u001b[31m\u2028\u0000\u0085\u009b31m\u202e";

describe("a log record as JSON", () => {
  test("is one line with severity, time, message, tags and fields", () => {
    expect(JSON.parse(jsonLine(record({ level: "warn", fields: { n: 1, who: "ada" } })))).toEqual({
      n: 1,
      who: "ada",
      severity: "WARNING",
      time: "2026-01-02T03:04:05.678Z",
      message: "saved",
      req: "7f",
    });
  });

  test("is one line whatever its texts hold", () => {
    const line = jsonLine(record({ message: hostile, fields: { [hostile]: hostile } }));
    expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
    expect(JSON.parse(line)).toMatchObject({ message: hostile });
  });

  test("keeps its own members: no field can pass for the request's id, the time or the message, and none is lost", () => {
    const fields = { req: "forged", severity: "DEBUG", message: "forged", time: "forged" };
    expect(JSON.parse(jsonLine(record({ fields })))).toEqual({
      severity: "INFO",
      time: "2026-01-02T03:04:05.678Z",
      message: "saved",
      req: "7f",
      "field.req": "forged",
      "field.severity": "DEBUG",
      "field.message": "forged",
      "field.time": "forged",
    });
  });

  test("has each field under a name of its own, and each tag as it is", () => {
    const tags = { req: "7f", task: "2" };
    const name = fc
      .tuple(fc.nat(3), fc.constantFrom("message", "time", "severity", "req", "task", "field", "own", "__proto__", ""))
      .map(([times, last]) => "field.".repeat(times) + last);
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const fields = Object.fromEntries(names.map((each) => [each, `value of ${each}`]));
        const line = JSON.parse(jsonLine(record({ fields, tags }))) as Record<string, unknown>;
        expect(line).toMatchObject({ ...tags, message: "saved", severity: "INFO" });
        const kept = Object.values(line).filter((value) => String(value).startsWith("value of "));
        expect(kept.toSorted()).toEqual(Object.values(fields).toSorted());
      }),
      { numRuns: tries(100) },
    );
  });

  test("holds an error's message, stack and causes", () => {
    const error = new Error("outer", { cause: new Error("inner") });
    const { stack } = (JSON.parse(jsonLine(record({ fields: { error } }))) as { error: { stack: string } }).error;
    expect(stack).toContain("Error: outer");
    expect(stack).toContain("caused by Error: inner");
  });

  test("holds what JSON has no word for", () => {
    const circular: Record<string, unknown> = {
      big: 2n ** 70n,
      nan: Number.NaN,
      run: () => 1,
      when: new Date(Number.NaN),
    };
    circular["self"] = circular;
    let deep: unknown = "end";
    for (let i = 0; i < 50; i++) deep = [deep];
    const line = JSON.parse(jsonLine(record({ fields: { circular, deep } }))) as Record<string, unknown>;
    expect(line["circular"]).toEqual({
      big: "1180591620717411303424",
      nan: "NaN",
      run: "[function]",
      when: "Invalid Date",
      self: "[circular]",
    });
    expect(JSON.stringify(line["deep"])).toContain("[deep]");
  });

  test("is written even where a field throws when it is read", () => {
    const angry = Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(JSON.parse(jsonLine(record({ fields: { angry } })))).toMatchObject({
      message: "saved",
      angry: "[unreadable]",
    });
  });
});

describe("a log record for people", () => {
  test("is one line with time, level, message, fields and tags", () => {
    const fields = { n: 1, who: "ada lovelace", path: "/a/b" };
    expect(readableLine(record({ fields }))).toBe('03:04:05.678 INFO  saved n=1 who="ada lovelace" path=/a/b req=7f');
  });

  test("shows an error's stack below it", () => {
    const error = new TypeError("boom");
    const [head, first, second] = readableLine(record({ level: "error", message: "failed", fields: { error } })).split(
      "\n",
    );
    expect(head).toBe('03:04:05.678 ERROR failed error="boom" req=7f');
    expect(first).toBe("    TypeError: boom");
    expect(second).toMatch(/^ +at /);
  });

  test("no text can forge a line or move the terminal's cursor", () => {
    const line = readableLine(record({ message: hostile, fields: { [hostile]: hostile, "a=b": hostile } }));
    expect(line).not.toMatch(/[\p{Cc}\u2028]/u);
  });
});

test("a logger's records carry its tags and go to its sink, one a line", () => {
  const lines: string[] = [];
  const log = new TaggedLogger(
    lineSink(readableLine, (line) => lines.push(line)),
    { req: "7f" },
  );
  log.debug("d");
  log.info("i", { n: 1 });
  log.warn("w");
  log.error("e");
  expect(lines.map((line) => line.slice(13))).toEqual([
    "DEBUG d req=7f\n",
    "INFO  i n=1 req=7f\n",
    "WARN  w req=7f\n",
    "ERROR e req=7f\n",
  ]);
});

describe("a line of the log is bounded", () => {
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]));
  let shared: unknown = "x";
  for (let depth = 0; depth < 7; depth++) shared = Array.from({ length: 100 }, () => shared);

  test.each([
    ["a long message", { message: "x".repeat(2_000_000) }],
    ["a long text in a field", { fields: { text: "x".repeat(2_000_000) } }],
    ["many texts", { fields: { texts: Array.from({ length: 10_000 }, () => "x".repeat(1_000)) } }],
    ["many members", { fields: { wide } }],
    ["many items", { fields: { items: Array.from({ length: 1_000_000 }, () => 1) } }],
    ["what is reached in many ways", { fields: { shared } }],
    ["a long stack", { fields: { error: Object.assign(new Error("x"), { stack: "y".repeat(2_000_000) }) } }],
  ])("with %s", (_, more) => {
    for (const line of [jsonLine(record(more)), readableLine(record(more))])
      expect(line.length).toBeLessThan(6 * 131_072);
    expect(JSON.parse(jsonLine(record(more)))).toMatchObject({ severity: "INFO", req: "7f" });
  });

  test("what is cut says so", () => {
    const line = JSON.parse(jsonLine(record({ message: "x".repeat(131_073) }))) as { message: string };
    expect(line.message.slice(-9)).toBe("x… 1 more");
  });
});

test("the whole chain of an error's causes is in its stack, also one that ends in itself", () => {
  const first = new Error("first");
  const second = new Error("second", { cause: first });
  first.cause = new Error("third", { cause: second });
  const { error } = JSON.parse(jsonLine(record({ fields: { error: second } }))) as { error: { stack: string } };
  const told = [...error.stack.matchAll(/^(?:caused by )?Error: (\w+)$/gm)].map(([, name]) => name);
  expect(told).toEqual(["second", "first", "third"]);
});
