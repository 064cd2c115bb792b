import { expect, test } from "vitest";
import { failureOf } from "./failure.ts";

function thrown(name: string, frames: readonly string[]): Error {
  const error = new ReferenceError(`Cannot access '${name}' before initialization`);
  error.stack = [String(error), ...frames.map((frame) => `    at ${frame}`)].join("\n");
  return error;
}

const circle =
  "Modules that import each other do not load at the same time: read the imported value inside a function that runs later, or move it to a module that both import";

test("a value that is read before its module is loaded is told with the reason, where it is read", () => {
  const frames = ["Module.get [as placed] (/app/orders/orders.ts:6:3)", "/app/mail/mail.ts:4:25"];
  expect(failureOf(thrown("placed", frames), "/app")).toMatchObject({
    message: `ReferenceError: Cannot access 'placed' before initialization. ${circle}`,
    at: { path: "/app/mail/mail.ts", line: 4, column: 25 },
  });
});

test("a module that is read before it is loaded has no name that a reader knows", () => {
  const frames = ["once (/app/late/late.ts:2:41)", "/app/mail/mail.ts:5:21"];
  expect(failureOf(thrown("__vite_ssr_import_0__", frames), "/app")).toMatchObject({
    message: `ReferenceError: Cannot access an import before initialization. ${circle}`,
    at: { path: "/app/late/late.ts", line: 2, column: 41 },
  });
});

test("any other error says what it says", () => {
  expect(failureOf(new TypeError("no"), "/app").message).toBe("TypeError: no");
});
