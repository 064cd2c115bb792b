import { expect, test } from "vitest";
import { parseFilter } from "./filter.ts";

const entry = {
  logName: "projects/p/logs/a",
  severity: "ERROR",
  timestamp: "2026-01-01T00:00:00.5Z",
  resource: { type: "job", labels: { name: "x" } },
};

test.each([
  ["", true],
  [`severity="ERROR"`, true],
  [`severity>=WARNING`, true],
  [`severity<"INFO"`, false],
  [`resource.labels.name=("y" OR "x")`, true],
  [`resource.type="job" AND NOT resource.labels.name="x"`, false],
  [`(resource.type="service" OR resource.type="job")\nlogName:"logs/a"`, true],
  [`resource.type="service" OR resource.type="job" AND severity="INFO"`, false],
  [`timestamp>="2026-01-01T00:00:00.500Z"`, true],
  [`timestamp>"2026-01-01T00:00:00.500Z"`, false],
  [`severity!=ERROR`, false],
])("the filter %s holds: %s", (filter, holds) => {
  expect(parseFilter(filter)(entry)).toBe(holds);
});

test.each([`severity=`, `=x`, `(severity=ERROR`, `severity=ERROR)`, `a ~ b`])("%s is no filter", (filter) => {
  expect(() => parseFilter(filter)).toThrow("Unparseable filter");
});
