type FieldSet = readonly string[];

/** The maximum number of candidate sets. With more, the cover is good but may not be minimal. */
const mostCandidates = 64;
/** The maximum number of comparisons of sets. With more, the cover is good but may not be minimal. */
const mostComparisons = 320_000;

/**
 * Finds as few sets as possible whose unions form all input sets; keeps an empty input set. Prefers larger sets,
 * because a query then merges fewer indexes.
 */
export function minimalCover(sets: readonly FieldSet[]): readonly FieldSet[] {
  const distinct = [...new Map(sets.map((set) => [JSON.stringify(set.toSorted()), set.toSorted()])).values()];
  const targets = distinct.filter((set) => set.length > 0);
  const empty = distinct.filter((set) => set.length === 0);
  const candidates = intersections(targets);
  const cover = candidates && smallest(targets, candidates);
  return [...empty, ...(cover ?? simpleCover(targets))].toSorted((a, b) =>
    JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
  );
}

/** Returns a cover that may not be minimal, in polynomial time. */
function simpleCover(targets: readonly FieldSet[]): readonly FieldSet[] {
  const singles = [...new Set(targets.flat())].map((field) => [field]);
  const irreducible = irreducibleSets(targets);
  return singles.length < irreducible.length ? singles : irreducible;
}

/**
 * Returns the sets that are not unions of others; every set is a union of these. For a query with conditional filters,
 * they are the fixed filters alone, and the fixed filters with each of the conditional filters.
 */
function irreducibleSets(sets: readonly FieldSet[]): readonly FieldSet[] {
  return sets.filter(
    (set) =>
      !isUnion(
        set,
        sets.filter((other) => other !== set),
      ),
  );
}

/**
 * Returns all nonempty intersections of the sets; undefined if there are too many. A set in a minimal cover can always
 * grow to the intersection of the input sets that contain it.
 */
function intersections(sets: readonly FieldSet[]): readonly FieldSet[] | undefined {
  const byKey = new Map(sets.map((set) => [JSON.stringify(set), set]));
  for (const one of byKey.values()) {
    for (const other of sets) {
      const common = one.filter((field) => other.includes(field));
      if (common.length > 0) byKey.set(JSON.stringify(common), common);
    }
    if (byKey.size > mostCandidates) return undefined;
  }
  return [...byKey.values()].toSorted((a, b) => b.length - a.length);
}

function smallest(targets: readonly FieldSet[], candidates: readonly FieldSet[]): readonly FieldSet[] | undefined {
  const comparisons = { remaining: mostComparisons };
  const choose = (from: number, size: number, selection: readonly FieldSet[]): readonly FieldSet[] | undefined => {
    comparisons.remaining -= size === 0 ? targets.length : 1;
    if (size === 0) return targets.every((set) => isUnion(set, selection)) ? selection : undefined;
    for (let index = from; index <= candidates.length - size && comparisons.remaining > 0; index += 1) {
      const cover = choose(index + 1, size - 1, [...selection, candidates[index] ?? []]);
      if (cover) return cover;
    }
    return undefined;
  };
  for (let size = targets.length === 0 ? 0 : 1; size <= targets.length; size += 1) {
    const cover = choose(0, size, []);
    if (cover || comparisons.remaining <= 0) return cover;
  }
  return undefined;
}

function isUnion(set: FieldSet, selection: readonly FieldSet[]): boolean {
  const subsets = selection.filter((candidate) => candidate.every((field) => set.includes(field)));
  return set.every((field) => subsets.some((subset) => subset.includes(field)));
}
