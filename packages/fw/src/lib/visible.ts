// Control characters move a terminal's cursor; bidirectional and invisible ones make text look different from what it
// is.
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The joiner in emoji, an invisible character that is harmless and common. */
const joiner = "\u200d";

/** Makes text of unknown origin safe to print by writing control, invisible and bidirectional characters as `\u{…}`. */
export function visible(text: string): string {
  return text.replace(invisible, (character) => (character === joiner ? character : escaped(character)));
}

function escaped(character: string): string {
  const names: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };
  return names[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
