import { array, assert, nat, property, string } from "fast-check";
import { expect, test } from "vitest";
import { LineReader } from "./lines.ts";

function read(chunks: readonly Buffer[], largest = 1_000): readonly string[] {
  const lines: string[] = [];
  const reader = new LineReader((line) => lines.push(line.toString()), largest);
  for (const chunk of chunks) reader.take(chunk);
  return lines;
}

test("lines arrive whole, in whatever pieces they come", () => {
  const line = string({ minLength: 1, maxLength: 30 }).map((text) => JSON.stringify(text));
  assert(
    property(array(line), array(nat({ max: 200 })), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(""));
      const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      expect(read(chunks)).toEqual(lines);
    }),
    { seed: 1 },
  );
});

test("blank lines are skipped, and a line beyond the bound is refused", () => {
  expect(read([Buffer.from("\n\r\n {} \n")])).toEqual([" {} "]);
  expect(() => read([Buffer.from("x".repeat(6)), Buffer.from("x".repeat(6))], 10)).toThrow("more than 10 bytes");
});
