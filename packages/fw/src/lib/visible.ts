// Controls move a terminal's cursor, and bidirectional or invisible characters make text read as something else.
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Characters of the hidden kinds that emoji are joined with; harmless and common. */
const joiner = "\u200d";

/** Text of unknown origin with every control, invisible and bidirectional character written as `\u{…}`. */
export function visible(text: string): string {
  return text.replace(invisible, (character) => (character === joiner ? character : escaped(character)));
}

function escaped(character: string): string {
  const names: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };
  return names[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
