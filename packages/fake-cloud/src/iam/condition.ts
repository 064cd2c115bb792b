/** The attributes of a resource for conditions: its name without the service, its type and its service. */
export interface ConditionResource {
  readonly name: string;
  readonly service: string;
  readonly type: string;
}

/**
 * Evaluates a condition in a subset of the Common Expression Language: comparisons of strings, `startsWith`,
 * `endsWith`, `!`, `&&`, `||` and parentheses. Throws for anything else.
 */
export function holds(expression: string, resource: ConditionResource): boolean {
  const tokens = expression.match(token) ?? [];
  let at = 0;
  const value = disjunction();
  if (at < tokens.length)
    throw new Error(`a condition of IAM that the fake cannot read, at "${tokens.slice(at).join(" ")}"`);
  return value;

  function take(text: string): boolean {
    if (tokens[at] !== text) return false;
    at += 1;
    return true;
  }
  function disjunction(): boolean {
    let value = conjunction();
    while (take("||")) value = conjunction() || value;
    return value;
  }
  function conjunction(): boolean {
    let value = term();
    while (take("&&")) value = term() && value;
    return value;
  }
  function term(): boolean {
    if (take("!")) return !term();
    if (take("(")) {
      const value = disjunction();
      expect(")");
      return value;
    }
    if (take("true")) return true;
    if (take("false")) return false;
    const left = text();
    if (take("==")) return left === text();
    if (take("!=")) return left !== text();
    for (const method of ["startsWith", "endsWith"] as const) {
      if (!take(`.${method}`)) continue;
      expect("(");
      const argument = text();
      expect(")");
      return left[method](argument);
    }
    throw new Error(`a condition of IAM that the fake cannot read: ${expression}`);
  }
  function text(): string {
    const next = tokens[at] ?? "";
    at += 1;
    const field = /^resource\.(name|service|type)$/.exec(next)?.[1] as keyof ConditionResource | undefined;
    if (field) return resource[field];
    if (/^["']/.test(next)) return next.slice(1, -1);
    throw new Error(`a condition of IAM that the fake cannot read: ${expression}`);
  }
  function expect(text: string): void {
    if (!take(text)) throw new Error(`a condition of IAM that the fake cannot read: ${expression}`);
  }
}

const token = /"[^"]*"|'[^']*'|\|\||&&|==|!=|!|\(|\)|resource\.(?:name|service|type)|\.?\w+|\S/g;
