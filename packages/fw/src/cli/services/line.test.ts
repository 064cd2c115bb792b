import { expect, test } from "vitest";
import { jsonLine, readableLine } from "../../runtime/observe/log-line.ts";
import type { LogRecord } from "../../runtime/observe/log.ts";
import { serviceLine } from "./line.ts";

test("the line of a service shows fields, tags and stacks as a single process does", () => {
  const fields = { who: "ada lovelace", path: "/a/b", about: { message: "m", n: 1 }, reason: new TypeError("boom") };
  const record: LogRecord = { at: new Date(0), level: "info", message: "saved", tags: { req: "7f" }, fields };
  const text = serviceLine("notes", jsonLine(record));
  expect(text).toContain(
    ' INFO    notes saved who="ada lovelace" path=/a/b about={"message":"m","n":1} reason="boom" req',
  );
  expect(text.split(" saved ")[1]).toBe(`${readableLine(record).split(" saved ")[1]}\n`);
});
