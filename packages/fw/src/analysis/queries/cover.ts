/** Names of fields. */
type FieldSet = readonly string[];

/** Candidates past which a good cover is taken instead of the best. */
const mostCandidates = 64;
/** Sets tried before a good cover is taken instead of the best. */
const mostTries = 20_000;

/**
 * As few sets as possible such that each given one is the union of some of them; the empty set only by itself. Among
 * those found, the larger sets: they answer with fewer indexes to merge.
 */
export function coverOf(sets: readonly FieldSet[]): readonly FieldSet[] {
  const distinct = [...new Map(sets.map((set) => [JSON.stringify(set.toSorted()), set.toSorted()])).values()];
  const wanted = distinct.filter((set) => set.length > 0);
  const empty = distinct.filter((set) => set.length === 0);
  const candidates = intersections(wanted);
  const found = candidates && smallest(wanted, candidates);
  const singles = [...new Set(wanted.flat())].map((field) => [field]);
  const simple = singles.length < wanted.length ? singles : wanted;
  return [...empty, ...(found ?? simple)].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Every set of a best cover can be grown to what the sets that it is part of have in common. */
function intersections(sets: readonly FieldSet[]): readonly FieldSet[] | undefined {
  const found = new Map(sets.map((set) => [JSON.stringify(set), set]));
  for (const one of found.values()) {
    for (const other of sets) {
      const common = one.filter((field) => other.includes(field));
      if (common.length > 0) found.set(JSON.stringify(common), common);
    }
    if (found.size > mostCandidates) return undefined;
  }
  return [...found.values()].toSorted((a, b) => b.length - a.length);
}

function smallest(wanted: readonly FieldSet[], candidates: readonly FieldSet[]): readonly FieldSet[] | undefined {
  const tries = { left: mostTries };
  const choose = (from: number, size: number, chosen: readonly FieldSet[]): readonly FieldSet[] | undefined => {
    tries.left -= 1;
    if (size === 0) return wanted.every((set) => isUnion(set, chosen)) ? chosen : undefined;
    for (let index = from; index <= candidates.length - size && tries.left > 0; index += 1) {
      const found = choose(index + 1, size - 1, [...chosen, candidates[index] ?? []]);
      if (found) return found;
    }
    return undefined;
  };
  for (let size = wanted.length === 0 ? 0 : 1; size <= wanted.length; size += 1) {
    const found = choose(0, size, []);
    if (found || tries.left <= 0) return found;
  }
  return undefined;
}

function isUnion(set: FieldSet, chosen: readonly FieldSet[]): boolean {
  const subsets = chosen.filter((candidate) => candidate.every((field) => set.includes(field)));
  return set.every((field) => subsets.some((subset) => subset.includes(field)));
}
