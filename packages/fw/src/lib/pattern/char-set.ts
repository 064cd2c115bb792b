/** Characters as sorted ranges of code points with gaps between them. Both ends are included. */
export type CharSet = readonly (readonly [from: number, to: number])[];

const last = 0x10ffff;

export function charSet(ranges: CharSet): CharSet {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before !== undefined && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Returns all characters that are not in `set`. */
export function without(set: CharSet): CharSet {
  const others: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) others.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) others.push([next, last]);
  return others;
}

/** The characters that `.` matches: everything except line terminators. */
export const dot: CharSet = without(
  charSet([
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ]),
);

const digits: CharSet = [[0x30, 0x39]];
const wordCharacters: CharSet = charSet([...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]);
const spaces: CharSet = charSet([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);

export const escapeSets: ReadonlyMap<string, CharSet> = new Map([
  ["d", digits],
  ["D", without(digits)],
  ["w", wordCharacters],
  ["W", without(wordCharacters)],
  ["s", spaces],
  ["S", without(spaces)],
]);

const properties: Map<string, CharSet | undefined> = new Map();

/** Returns the characters with a Unicode property such as `L` or `Script=Greek`; undefined for an unknown property. */
export function propertySet(name: string): CharSet | undefined {
  if (!properties.has(name)) properties.set(name, charactersOf(name));
  return properties.get(name);
}

function charactersOf(name: string): CharSet | undefined {
  let property: RegExp;
  try {
    property = new RegExp(`^\\p{${name}}$`, "u");
  } catch {
    return undefined;
  }
  const ranges: [number, number][] = [];
  for (let character = 0; character <= last; character++) {
    if (!property.test(String.fromCodePoint(character))) continue;
    const before = ranges.at(-1);
    if (before?.[1] === character - 1) before[1] = character;
    else ranges.push([character, character]);
  }
  return ranges;
}
