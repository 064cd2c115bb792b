import { expect, test } from "vitest";
import { cloudLine } from "./log.ts";

const record = { at: new Date(0), level: "warn", message: "late", fields: { n: 1 } } as const;

test("a line of a request has the severity and the trace by which Cloud Logging shows it below the platform's own", () => {
  const trace = "0af7651916cd43dd8448eb211c80319c";
  expect(JSON.parse(cloudLine("demo")({ ...record, tags: { req: "1", trace } }))).toEqual({
    severity: "WARNING",
    time: "1970-01-01T00:00:00.000Z",
    message: "late",
    req: "1",
    "logging.googleapis.com/trace": `projects/demo/traces/${trace}`,
    fields: { n: 1 },
  });
});

test("no field of an application says which trace a line belongs to", () => {
  const ownTrace = { "logging.googleapis.com/trace": "projects/demo/traces/another" };
  const line = JSON.parse(cloudLine("demo")({ ...record, fields: ownTrace, tags: { trace: "ab" } })) as object;
  expect(line).toMatchObject({
    "logging.googleapis.com/trace": "projects/demo/traces/ab",
    fields: ownTrace,
  });
});
