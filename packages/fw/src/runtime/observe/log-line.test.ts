import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { flattenLine } from "../../lib/log-members.ts";
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
function fieldsIn(line: string): Record<string, unknown> {
  return (JSON.parse(line) as { fields: Record<string, unknown> }).fields;
}

const hostile = "a\nERROR forged\r\u001b[31m\u2028\u0000\u0085\u009b31m\u202e";

describe("a log record as JSON", () => {
  test("is one line with severity, time, message, tags and fields", () => {
    expect(JSON.parse(jsonLine(record({ level: "warn", fields: { n: 1, who: "ada" } })))).toEqual({
      severity: "WARNING",
      time: "2026-01-02T03:04:05.678Z",
      message: "saved",
      req: "7f",
      fields: { n: 1, who: "ada" },
    });
  });

  test("is one line whatever its texts hold", () => {
    const line = jsonLine(record({ message: hostile, fields: { [hostile]: hostile } }));
    expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
    expect(JSON.parse(line)).toMatchObject({ message: hostile });
  });

  test("keeps an application's fields under one member: none can pass for the line's own", () => {
    const fields = { req: "forged", severity: "DEBUG", service: "forged", handler: "forged", fields: 1, __proto__: 2 };
    expect(JSON.parse(jsonLine(record({ fields })))).toEqual({
      severity: "INFO",
      time: "2026-01-02T03:04:05.678Z",
      message: "saved",
      req: "7f",
      fields,
    });
    expect(JSON.parse(jsonLine(record({})))).not.toHaveProperty("fields");
  });

  test("has what fw says of itself as members, which programs read", () => {
    const lines: string[] = [];
    const own = new TaggedLogger(
      lineSink(jsonLine, (line) => lines.push(line)),
      { service: "fw" },
      undefined,
      true,
    );
    own.info("listening", { port: 8080 });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ message: "listening", port: 8080, service: "fw" });
  });

  test("is read with each field under a name of its own, and each member as it is", () => {
    const tags = { req: "7f", task: "2" };
    const name = fc
      .tuple(fc.nat(3), fc.constantFrom("message", "time", "severity", "req", "task", "service", "handler", "own", ""))
      .map(([times, last]) => "fields.".repeat(times) + last);
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const fields = Object.fromEntries(names.map((each) => [each, `value of ${each}`]));
        const read = flattenLine(JSON.parse(jsonLine(record({ fields, tags }))) as Record<string, unknown>);
        expect(read).toMatchObject(tags);
        for (const own of ["service", "handler", "severity", "message"]) expect(read).not.toHaveProperty([own]);
        const kept = Object.values(read).filter((value) => String(value).startsWith("value of "));
        expect(kept.toSorted()).toEqual(Object.values(fields).toSorted());
      }),
      { numRuns: tries(100) },
    );
  });

  test("holds an error's message, stack and causes", () => {
    const error = new Error("outer", { cause: new Error("inner") });
    const { stack } = fieldsIn(jsonLine(record({ fields: { error } })))["error"] as { stack: string };
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
    const line = fieldsIn(jsonLine(record({ fields: { circular, deep } })));
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
      fields: { angry: "[unreadable]" },
    });
  });
});

describe("a log record for people", () => {
  test("is one line with time, level, message, fields and tags", () => {
    const fields = { n: 1, who: "ada lovelace", path: "/a/b" };
    expect(readableLine(record({ fields }))).toBe('03:04:05.678 INFO  saved n=1 who="ada lovelace" path=/a/b req=7f');
  });

  test("shows a field that has the name of a member of fw's as a field", () => {
    const fields = { service: "billing", handler: "send", req: "00", "fields.req": 1 };
    expect(readableLine(record({ fields }))).toBe(
      "03:04:05.678 INFO  saved fields.service=billing fields.handler=send fields.req=00 fields.fields.req=1 req=7f",
    );
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
  let value: unknown = "x";
  for (let depth = 0; depth < 7; depth++) value = Array.from({ length: 100 }, () => value);

  test.each([
    ["a long message", { message: "x".repeat(2_000_000) }],
    ["a long text in a field", { fields: { text: "x".repeat(2_000_000) } }],
    ["many texts", { fields: { texts: Array.from({ length: 10_000 }, () => "x".repeat(1_000)) } }],
    ["many members", { fields: { wide } }],
    ["many items", { fields: { items: Array.from({ length: 1_000_000 }, () => 1) } }],
    ["what is reached in many ways", { fields: { shared: value } }],
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
  const error = fieldsIn(jsonLine(record({ fields: { error: second } })))["error"] as { stack: string };
  const told = [...error.stack.matchAll(/^(?:caused by )?Error: (\w+)$/gm)].map(([, name]) => name);
  expect(told).toEqual(["second", "first", "third"]);
});
