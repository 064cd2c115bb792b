/** Matches tokens of JSON without spaces whose layout matters; an empty object or list stays on its line. */
const tokens = /"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g;

/** Indents JSON without spaces. Numbers stay exact, because nothing is parsed. */
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
