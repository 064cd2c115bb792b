import assert from "node:assert/strict";
import { join } from "node:path";
import { expect, test } from "vitest";
import { report, type RunnerEvent } from "./reporter.ts";

const root = "/app";
const file = join(root, "shop/shop.test.ts");

/** Returns the report of a run without durations. */
async function reportOf(...events: RunnerEvent[]): Promise<string> {
  let text = "";
  const source = (path: string): string | undefined =>
    path === file ? `import x from "x";\n  assert.equal(total(), 3);\n` : undefined;
  for await (const chunk of report(iterate(events), { root, colour: false, source })) text += chunk;
  return text.replaceAll(/ \d+ ms$/gm, "").replace(/ in [\d.]+ s/, "");
}

async function* iterate(events: readonly RunnerEvent[]): AsyncGenerator<RunnerEvent> {
  yield* events;
}

function result(type: "test:pass" | "test:fail", name: string, more: object = {}): RunnerEvent[] {
  const data = { name, nesting: 0, file, details: { duration_ms: 1 }, ...more };
  return [
    { type: "test:start", data },
    { type, data },
  ];
}

function failure(thrown: Error, frames: readonly string[]): Error {
  thrown.stack = [String(thrown), ...frames.map((place) => `    at run (${place})`)].join("\n");
  return Object.assign(new Error("wrapped", { cause: thrown }), { failureType: "testCodeFailure" });
}

test("a run without failures lists its tests by file and counts them", async () => {
  const text = await reportOf(...result("test:pass", "adds"), ...result("test:pass", "later", { skip: true }), {
    type: "test:diagnostic",
    data: { nesting: 0, message: "tests 2" },
  });
  expect(text).toBe("\nshop/shop.test.ts\n  ✓ adds\n  - later skipped\n\n1 passed, 1 skipped of 2 tests\n");
});

test("failures come last, with their code, their difference and the frames of the application", async () => {
  const error = failure(differenceOf(2, 3), [
    join(root, "shop/total.ts:4:2"),
    "/elsewhere/node_modules/x/x.js:1:1",
    `${file}:2:10`,
    "node:internal/test:1:1",
  ]);
  const group = { name: "totals", nesting: 0, file };
  const text = await reportOf(
    { type: "test:start", data: group },
    ...result("test:fail", "adds", { nesting: 1, details: { error } }),
    { type: "test:fail", data: { ...group, details: { type: "suite", error: subtestsFailed() } } },
    ...result("test:pass", "multiplies"),
  );
  expect(text).toBe(`
shop/shop.test.ts
  ✗ totals > adds
  ✓ multiplies

✗ totals > adds
  shop/shop.test.ts:2:10
  2 |   assert.equal(total(), 3);
    |   ^^^^^^^^^^^^^^^^^^^^^^^^
  Expected values to be strictly equal:
  
  2 !== 3
  at shop/total.ts:4:2

1 failed, 1 passed of 2 tests
`);
});

test("a file that cannot run is one failure, which names it", async () => {
  const error = Object.assign(new Error("test failed"), { failureType: "testCodeFailure" });
  const text = await reportOf(
    { type: "test:stderr", data: { message: "SyntaxError: no\n" } },
    ...result("test:fail", file, { details: { error } }),
  );
  expect(text).toContain("SyntaxError: no\n");
  expect(text).toContain("✗ shop/shop.test.ts (the file cannot run)\n  shop/shop.test.ts\n  it ended with the error");
  expect(text).toContain("1 failed, 0 passed of 1 test\n");
});

test("the failure of a file that cannot run says why and where, below the tests of other files", async () => {
  const error = Object.assign(new Error("test failed"), { failureType: "testCodeFailure" });
  const output = `file://${file}:2\n  assert.equal(total(), 3);\n  ^\n\nSyntaxError: './total.ts' has no export named 'total'\n    at ModuleJob._instantiate (node:internal)\n`;
  const text = await reportOf(
    {
      type: "test:stderr",
      data: { file, message: "RangeError: printed by a test\n    at run (/app/shop/total.ts:4:2)\n" },
    },
    { type: "test:stderr", data: { file, message: output } },
    ...result("test:fail", file, { details: { error } }),
  );
  expect(text).toContain(`✗ shop/shop.test.ts (the file cannot run)
  shop/shop.test.ts:2:3
  2 |   assert.equal(total(), 3);
    |   ^^^^^^
  SyntaxError: './total.ts' has no export named 'total'
`);
});

test("a promise that rejects after its test fails the run, with the test, its place and what to do", async () => {
  const error = Object.assign(new Error("test failed"), { failureType: "testCodeFailure" });
  const message = `Error: Test "adds" at shop/shop.test.ts:2:3 generated asynchronous activity after the test ended. This activity created the error "Error: late" and would have caused the test to fail, but instead triggered an unhandledRejection event.`;
  const text = await reportOf(
    ...result("test:pass", "adds"),
    { type: "test:diagnostic", data: { file, nesting: 0, message } },
    ...result("test:fail", file, { details: { error } }),
  );
  expect(text).toBe(`
shop/shop.test.ts
  ✓ adds
  ✗ adds (after its end)

✗ adds (after its end)
  shop/shop.test.ts:2:3
  2 |   assert.equal(total(), 3);
    |   ^^^^^^
  a promise of this test rejected after the test had ended: Error: late
  await the promise in the test

1 failed, 1 passed of 2 tests
`);
});

function differenceOf(actual: number, expected: number): Error {
  try {
    assert.equal(actual, expected);
  } catch (error) {
    return error as Error;
  }
  throw new Error("the values do not differ");
}

function subtestsFailed(): Error {
  return Object.assign(new Error("1 subtest failed"), { failureType: "subtestsFailed" });
}
