/** Characters of a secret that is looked for: shorter ones are parts of everything. */
const leastSecret = 4;

/**
 * A value of JSON with `[secret NAME]` in the place of the value of each secret, in texts, names of members and
 * numbers.
 */
export function withoutSecrets(value: unknown, secrets: Readonly<Record<string, string | undefined>>): unknown {
  const patterns = Object.entries(secrets)
    .flatMap(([name, secret]): Secret[] =>
      secret === undefined || secret.length < leastSecret ? [] : [{ name, secret }],
    )
    // One secret may be a part of another.
    .toSorted((a, b) => b.secret.length - a.secret.length);
  return patterns.length === 0 ? value : replaceSecrets(value, patterns);
}

interface Secret {
  readonly name: string;
  readonly secret: string;
}

function replaceSecrets(value: unknown, patterns: readonly Secret[]): unknown {
  if (typeof value === "string") return replaceIn(value, patterns);
  if (typeof value === "number") return replaceNumber(value, patterns);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replaceSecrets(item, patterns));
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [replaceIn(name, patterns), replaceSecrets(member, patterns)]),
  );
}

function replaceIn(text: string, patterns: readonly Secret[]): string {
  return patterns.reduce((rest, { name, secret }) => rest.replaceAll(secret, () => `[secret ${name}]`), text);
}

/** A number is a secret as a whole only: digits in the middle of one are no secret. */
function replaceNumber(value: number, patterns: readonly Secret[]): unknown {
  const found = patterns.find(({ secret }) => secret === String(value));
  return found === undefined ? value : `[secret ${found.name}]`;
}
