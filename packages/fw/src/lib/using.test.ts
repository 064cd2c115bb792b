import { expect, test } from "vitest";
import usingContext from "./using.ts";

const resource = (name: string, log: string[], failure?: Error): Disposable & AsyncDisposable => ({
  [Symbol.dispose]() {
    log.push(name);
    if (failure) throw failure;
  },
  async [Symbol.asyncDispose]() {
    await Promise.resolve();
    log.push(`${name} async`);
    if (failure) throw failure;
  },
});

test("what a block declares is let go at its end, the last first, each awaited", async () => {
  const log: string[] = [];
  const block = usingContext();
  block.u(resource("first", log));
  block.a(resource("second", log));
  block.a(null);
  block.u(undefined);
  await block.d();
  expect(log).toEqual(["second async", "first"]);
});

test("without await using everything is let go at once", () => {
  const log: string[] = [];
  const block = usingContext();
  block.u(resource("first", log));
  block.u(resource("second", log));
  block.d();
  expect(log).toEqual(["second", "first"]);
});

test("an error of the block is thrown after everything was let go, together with errors of letting go", async () => {
  const log: string[] = [];
  const block = usingContext();
  block.a(resource("first", log));
  block.a(resource("second", log, new Error("of the second")));
  block.e = new Error("of the block");
  await expect(block.d()).rejects.toMatchObject({
    errors: [{ message: "of the second" }, { message: "of the block" }],
  });
  expect(log).toEqual(["second async", "first async"]);

  const other = usingContext();
  other.u(resource("third", log));
  other.e = new Error("of the block");
  expect(() => other.d()).toThrow("of the block");
});

test("what cannot be let go is refused", () => {
  expect(() => usingContext().u({})).toThrow(new TypeError("a value declared with using has no dispose method"));
});
