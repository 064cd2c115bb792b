import { expect, test } from "vitest";
import { diagnosticProblem, failureDiagnostic } from "./problems.ts";

const source = "const a = 1;\nconst total: string = add(a,\n  2);\nconst b = 3;";

test("a problem underlines its whole expression, and its place opens in the editor", () => {
  const at = { path: "shop/shop.ts", line: 1, column: 11, endLine: 1, endColumn: 12 };
  const { frame, href } = diagnosticProblem({ code: "x", message: "no", at }, "/app", () => source);
  expect(frame?.split("\n").slice(0, 2)).toEqual(["1 | const a = 1;", "  |           ^"]);
  expect(href).toContain("/app/shop/shop.ts");
});

test("an expression of several lines is underlined to the end of the first", () => {
  const at = { path: "shop/shop.ts", line: 2, column: 23, endLine: 3, endColumn: 5 };
  const { frame = "" } = diagnosticProblem({ code: "x", message: "no", at }, "/app", () => source);
  expect(frame.split("\n")[2]).toBe(`  | ${" ".repeat(22)}^^^^^^`);
});

/** Returns the text that is underlined for a failure at `§`. */
function underlinedText(markedSource: string): string {
  const text = markedSource.replace("§", "");
  const lines = markedSource.slice(0, markedSource.indexOf("§")).split("\n");
  const at = { path: "/app/shop/shop.ts", line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  const span = failureDiagnostic({ message: "no", stack: "", at }, "/app", () => text)?.at;
  expect(span?.line).toBe(at.line);
  return (
    text
      .split("\n")
      .slice(at.line - 1, span?.endLine)
      .join("\n")
      // In these tests, an expression of several lines ends with the text.
      .slice((span?.column ?? 0) - 1, span?.endLine === at.line ? (span.endColumn ?? 0) - 1 : undefined)
  );
}

test("a failure underlines the whole expression that its stack frame refers to", () => {
  expect(underlinedText("const a = await orders.§get(ctx, id);")).toBe("orders.get(ctx, id)");
  expect(underlinedText("throw §new Error(`no ${order.id}`);")).toBe("new Error(`no ${order.id}`)");
  expect(underlinedText("return order.buyer.§name + 1;")).toBe("order.buyer.name");
  expect(underlinedText("return §total(order) + 1;")).toBe("total(order)");
  expect(underlinedText("return rows\n  .§map(total)\n  .join();")).toBe("map(total)");
  expect(underlinedText("const x = §missing;")).toBe("missing");
  expect(underlinedText("const x = §1 + 2;")).toBe("1");
});
