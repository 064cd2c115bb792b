import { invalid } from "../errors.ts";

/** True if an entry matches a filter. */
export type Matches = (entry: object) => boolean;

const severities = ["DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY"];

/**
 * Parses a filter of Cloud Logging, limited to comparisons: `a.b="c"`, `a>="b"`, `a:"b"`, `a=("b" OR "c")`, combined
 * with AND, OR, NOT and parentheses. Lines are joined with AND.
 */
export function parseFilter(filter: string): Matches {
  const tokens = [...filter.matchAll(/\s*(?:("(?:[^"\\]|\\.)*")|(>=|<=|!=|=|>|<|:)|([()])|([^\s()"=<>!:]+)|(.))/gy)]
    .map(([, quoted, operator, bracket, word, other]) => {
      if (other !== undefined && other.trim() !== "") throw unparseable(other);
      return quoted ?? operator ?? bracket ?? word ?? "";
    })
    .filter((token) => token !== "");
  let at = 0;
  const next = (): string => tokens[at++] ?? "";
  const take = (token: string): boolean => tokens[at] === token && ++at > 0;

  const any = (): Matches => {
    const parts = [all()];
    while (take("OR")) parts.push(all());
    return (entry) => parts.some((holds) => holds(entry));
  };
  const all = (): Matches => {
    const parts = [one()];
    while (take("AND") || (at < tokens.length && tokens[at] !== ")" && tokens[at] !== "OR")) parts.push(one());
    return (entry) => parts.every((holds) => holds(entry));
  };
  const one = (): Matches => {
    if (take("NOT")) {
      const not = one();
      return (entry) => !not(entry);
    }
    if (!take("(")) return comparison();
    const inner = any();
    if (!take(")")) throw unparseable(next());
    return inner;
  };
  const comparison = (): Matches => {
    const [path, operator] = [next(), next()];
    if (!/^[\w.]+$/.test(path) || !/^(?:[<>!]?=|[<>:])$/.test(operator)) throw unparseable(path);
    const values = take("(") ? readList() : [value()];
    return (entry) => values.some((expected) => compares(path, textAt(entry, path.split(".")), expected, operator));
  };
  const readList = (): string[] => {
    const values = [value()];
    while (take("OR")) values.push(value());
    if (!take(")")) throw unparseable(next());
    return values;
  };
  const value = (): string => {
    const token = next();
    if (token === "" || /^[()=<>:]/.test(token)) throw unparseable(token);
    return token.startsWith('"') ? token.slice(1, -1).replaceAll(/\\(.)/g, "$1") : token;
  };

  if (tokens.length === 0) return () => true;
  const matches = any();
  if (at < tokens.length) throw unparseable(next());
  return matches;
}

function unparseable(token: string): Error {
  return invalid(`Unparseable filter: syntax error at '${token}'`);
}

function textAt(entry: object, path: readonly string[]): string {
  const value = path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], entry);
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function compares(path: string, actual: string, expected: string, operator: string): boolean {
  if (operator === ":") return actual.includes(expected);
  if (operator === "=") return actual === expected;
  if (operator === "!=") return actual !== expected;
  const [a, b] =
    path === "severity" ? [severities.indexOf(actual), severities.indexOf(expected)] : instants(actual, expected);
  if (operator === ">=") return a >= b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a < b;
}

function instants(actual: string, expected: string): readonly [number, number] {
  return [Date.parse(actual), Date.parse(expected)];
}
