/** Matches the tokens that determine the layout of compact JSON; empty objects and lists stay on one line. */
const tokens = /"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g;

/** Indents compact JSON. Numbers stay exact, because nothing is parsed. */
export function indentJSON(json: string): string {
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  return json.replaceAll(tokens, (token) => {
    if (token === ":") return ": ";
    if (token === ",") return `,${line()}`;
    if (token === "{" || token === "[") return ((depth += 1), token + line());
    if (token === "}" || token === "]") return ((depth -= 1), line() + token);
    return token;
  });
}
