import { expect, test } from "vitest";
import { conditionText, type AlertCondition } from "./alert-rule.ts";

test.each([
  [1 / 3, "1 / 3", "1 / 3"],
  [1_234_567, "1_234_567", "1_234_567"],
  [1_234_567, undefined, "1234567"],
  [0.02, undefined, "0.02"],
  [1e-9, undefined, "1e-9"],
])("a threshold of %d, written as %s, is shown as %s", (threshold, thresholdText, text) => {
  const of = { metric: "orders", kind: "counter", labels: {} } as const;
  const condition: AlertCondition = {
    kind: "rate",
    of,
    comparison: "above",
    threshold,
    ...(thresholdText !== undefined && { thresholdText }),
  };
  expect(conditionText(condition)).toBe(`rate of orders above ${text}`);
});
