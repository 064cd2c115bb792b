/** Shorter secrets are not redacted, because such text occurs everywhere. */
const minSecretLength = 4;

/** Replaces the values of secrets in JSON with `[secret NAME]`, in strings, member names and numbers. */
export function withoutSecrets(value: unknown, secrets: Readonly<Record<string, string | undefined>>): unknown {
  const patterns = Object.entries(secrets)
    .flatMap(([name, secret]): Secret[] =>
      secret === undefined || secret.length < minSecretLength ? [] : [{ name, secret }],
    )
    // Longer secrets first, because one may contain another.
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

/** Redacts a number only if all of it is a secret. */
function replaceNumber(value: number, patterns: readonly Secret[]): unknown {
  const match = patterns.find(({ secret }) => secret === String(value));
  return match === undefined ? value : `[secret ${match.name}]`;
}
