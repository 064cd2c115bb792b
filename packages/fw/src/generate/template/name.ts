/**
 * Returns the possible files of a template or partial name, in order of preference: `card` and `card.html` are the same
 * template.
 */
export function filesNamed(name: string): readonly string[] {
  return [name, `${name}.html`, `${name}.hbs`];
}
