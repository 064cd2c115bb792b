import { expect, test } from "vitest";
import { logLine } from "./line.ts";

const now = new Date(0);

test.each([
  [
    `{"severity":"INFO","message":"a","fields":{"service":"x"}}`,
    { severity: "INFO", message: "a", fields: { service: "x" } },
  ],
  [`{"severity":"INFO","message":"a","service":"x"}`, { severity: "INFO", message: "a", "fields.service": "x" }],
  [`{"a":"\\"service\\":"}`, { a: '"service":' }],
  ["{}", {}],
])("a line of JSON names the service that wrote it, whatever it says itself: %s", (line, members) => {
  expect(JSON.parse(logLine("web", line, undefined, now))).toEqual({ service: "web", ...members });
});

test.each(["plain", "{not json}", "{", '["x"]', '{"a":1} and more', "\u0085\u2028"])(
  "a line that is no record of JSON is the message of one: %j",
  (line) => {
    const output = logLine("web", line, undefined, now);
    expect(output).not.toMatch(/[\p{Cc}\p{Zl}]/u);
    expect(JSON.parse(output)).toEqual({
      severity: "DEFAULT",
      time: "1970-01-01T00:00:00.000Z",
      message: line,
      service: "web",
    });
  },
);

test.each([
  ["stdout", "INFO"],
  ["stderr", "ERROR"],
] as const)("what code prints to %s has the severity %s, as in fw dev", (stream, severity) => {
  expect(JSON.parse(logLine("web", "plain", stream, now))).toMatchObject({ severity, message: "plain" });
});
