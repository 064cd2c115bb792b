/** The files that a name of a template or a partial may mean, the first that is there first: `card` and `card.html` are the same template. */
export function filesNamed(name: string): readonly string[] {
  return [name, `${name}.html`, `${name}.hbs`];
}
