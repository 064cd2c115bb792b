import { expect, test } from "vitest";
import { newTrace, readTrace, traceparent } from "./trace.ts";

const id = "4bf92f3577b34da6a3ce929d0e0e4736";

test("a traceparent that was written is read again, each a step of its own", () => {
  const trace = newTrace();
  const [first, second] = [traceparent(trace), traceparent(trace)];
  expect(first).not.toBe(second);
  expect([readTrace(first), readTrace(second)]).toEqual([trace, trace]);
});

test.each([
  [`00-${id}-00f067aa0ba902b7-01`, { id, flags: "01" }],
  [`01-${id}-00f067aa0ba902b7-00-later`, { id, flags: "00" }],
  [`00-${id}-00f067aa0ba902b7-01-later`, undefined],
  [`ff-${id}-00f067aa0ba902b7-01`, undefined],
  [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${id}-${"0".repeat(16)}-01`, undefined],
  [`00-${id.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
  [`00-${id}-00f067aa0ba902b7`, undefined],
  ["", undefined],
  [undefined, undefined],
])("the traceparent %s is %o", (header, trace) => {
  expect(readTrace(header)).toEqual(trace);
});
