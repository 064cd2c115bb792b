/** Like `JSON.stringify`, but writes bigints as JSON numbers. Returns undefined in the same cases. */
export function exactText(value: unknown): string | undefined {
  const plain = typeof value === "object" && value !== null ? toPlain(value) : value;
  if (typeof plain === "bigint") return plain.toString();
  if (typeof plain !== "object" || plain === null) return JSON.stringify(plain);
  return Array.isArray(plain) ? arrayText(plain) : objectText(plain);
}

function toPlain(value: object): unknown {
  return "toJSON" in value && typeof value.toJSON === "function" ? value.toJSON("") : value;
}

function arrayText(items: readonly unknown[]): string {
  return `[${Array.from(items, (item) => exactText(item) ?? "null").join(",")}]`;
}

function objectText(members: object): string {
  const texts: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    const text = exactText(value);
    if (text !== undefined) texts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${texts.join(",")}}`;
}
