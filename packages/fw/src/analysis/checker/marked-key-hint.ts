/** A marker around literals, as TypeScript's error 7053 prints it: `Query<"open" | "paid">`. */
const markedKey =
  /expression of type '(?:Path|Query|Form|Header|Cookie|Index|Unique|Transient)<((?:"[^"]*"|-?\d+)(?: \| (?:"[^"]*"|-?\d+))*)(?:, "[^"]*")?>' can't be used to index type/;

/**
 * Leads on from TypeScript's error 7053 where the key has a marked type. TypeScript indexes by literals only, and a
 * literal with a marker is an intersection; it is assignable to the plain literal.
 */
export function markedKeyHint(message: string, access: string): string | undefined {
  const [, plain] = markedKey.exec(message) ?? [];
  if (plain === undefined || message.includes("does not exist on type")) return undefined;
  const [, key = "…"] = /\[\s*([\w$.]+)\s*\]$/.exec(access) ?? [];
  const name = key.split(".").at(-1);
  const variable = name === undefined || name === key ? "key" : name;
  return `name the plain type first, as in \`const ${variable}: ${plain} = ${key}\`, and index with it`;
}
