import { expect, test } from "vitest";
import { conditionText, type AlertCondition } from "./alert-rule.ts";

test.each([
  [1 / 3, "0.333333"],
  [0.02, "0.02"],
  [1e-9, "1e-9"],
  [1_250_000, "1250000"],
])("a threshold of %d is written as %s", (threshold, text) => {
  const of = { metric: "orders", kind: "counter", labels: {} } as const;
  const condition: AlertCondition = { kind: "rate", of, comparison: "above", threshold };
  expect(conditionText(condition)).toBe(`rate of orders above ${text}`);
});
