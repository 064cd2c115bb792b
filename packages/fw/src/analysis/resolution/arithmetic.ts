export type Scalar = string | number | boolean | bigint | null | undefined;

/** Maximum length of a constant string, in characters. */
export const longestText = 100_000;

/**
 * Applies a binary operator. Undefined for operators and operands that it does not know, and for a string that is
 * longer than `longestText`.
 */
export function evaluateBinary(operator: string, left: Scalar, right: Scalar): { readonly value: Scalar } | undefined {
  if (operator === "===") return { value: left === right };
  if (operator === "!==") return { value: left !== right };
  if (typeof left === "number" && typeof right === "number") return evaluateNumbers(operator, left, right);
  if (typeof left === "string" || typeof right === "string") return evaluateTexts(operator, left, right);
  return undefined;
}

function evaluateNumbers(operator: string, left: number, right: number): { readonly value: Scalar } | undefined {
  const compute = numeric[operator];
  return compute && { value: compute(left, right) };
}

const numeric: Readonly<Record<string, (left: number, right: number) => Scalar>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
  "**": (left, right) => left ** right,
  "|": (left, right) => left | right,
  "&": (left, right) => left & right,
  "^": (left, right) => left ^ right,
  "<<": (left, right) => left << right,
  ">>": (left, right) => left >> right,
  ">>>": (left, right) => left >>> right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

function evaluateTexts(operator: string, left: Scalar, right: Scalar): { readonly value: string } | undefined {
  if (operator !== "+") return undefined;
  const value = String(left) + String(right);
  return value.length > longestText ? undefined : { value };
}
