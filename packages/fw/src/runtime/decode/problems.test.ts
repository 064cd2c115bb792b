import { expect, test } from "vitest";
import { BadInput } from "./bad-input.ts";
import { whole400 } from "./problems.ts";

const limit = 16 * 1024;

/** Returns the locations of the listed problems if the text of the first one has this many characters. */
function listedAfter(characters: number): unknown {
  const first = new BadInput(`query a: ${"x".repeat(characters - "query a: ".length)}`);
  const next = (): never => {
    throw new BadInput("query b: is missing");
  };
  const { details } = whole400(first, {}, [next]) as BadInput;
  return (details as { readonly problems: readonly { readonly at: string }[] }).problems.map(({ at }) => at);
}

test("an answer lists further problems until their texts have 16,384 characters", () => {
  expect(listedAfter(limit - 1)).toEqual(["query a", "query b"]);
  expect(listedAfter(limit)).toEqual(["query a"]);
});
