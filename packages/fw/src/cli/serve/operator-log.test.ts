import { appendFileSync, linkSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { OperatorLog } from "./operator-log.ts";

test("the newest 500 changes survive a restart, their inputs cut off after 1,000 characters", () => {
  const directory = mkdtempSync(join(tmpdir(), "fw-operators-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "operators.jsonl");
  const log = new OperatorLog(path);
  for (let at = 1; at <= 501; at++)
    log.add({ at, operator: "ann", operation: "messages/drop", input: { id: "x".repeat(2_000) } });
  expect(log.list().map(({ at }) => at)).toEqual(Array.from({ length: 500 }, (_, index) => 501 - index));
  // Simulate a server that was killed while it wrote.
  appendFileSync(path, '{"at":502,"oper');
  const again = new OperatorLog(path);
  expect(again.list()).toEqual(log.list());
  expect(again.list()[0]?.input).toHaveLength(1_000);
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(501);
  expect(statSync(path).mode & 0o077).toBe(0);
});

test("a server that is killed while it drops old changes loses none", () => {
  const directory = mkdtempSync(join(tmpdir(), "fw-operators-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "operators.jsonl");
  new OperatorLog(path).add({ at: 1, operator: "ann", operation: "messages/drop", input: {} });
  const before = readFileSync(path, "utf8");
  linkSync(path, `${path}.before`);
  expect(new OperatorLog(path).list()).toHaveLength(1);
  appendFileSync(path, "later");
  // The file was replaced atomically, never emptied and rewritten.
  expect(readFileSync(`${path}.before`, "utf8")).toBe(before);
});
