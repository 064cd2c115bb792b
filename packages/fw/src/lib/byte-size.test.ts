import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatByteSize, parseByteSize } from "./byte-size.ts";

test.each([
  ["1B", 1],
  ["512KB", 524_288],
  ["1.5KB", 1_536],
  ["10MB", 10_485_760],
  ["1GB", 1_073_741_824],
  ["0.3B", undefined],
  ["10 MB", undefined],
  ["10mb", undefined],
  ["10", undefined],
  ["MB", undefined],
  ["-1B", undefined],
  ["1e3B", undefined],
])("%s is %s bytes", (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

test("a size that was written is read as it was", () => {
  fc.assert(fc.property(fc.nat({ max: 999_999_999 }), (bytes) => parseByteSize(formatByteSize(bytes)) === bytes));
});
