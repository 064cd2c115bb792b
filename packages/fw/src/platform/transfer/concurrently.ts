/** The number of items to process concurrently. */
const atOnce = 32;

/** Processes the items of a list concurrently; rejects with the first failure. */
export async function concurrently<T>(items: AsyncIterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const working = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of items) {
      const one = work(item)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => working.delete(one));
      working.add(one);
      if (working.size >= atOnce) await Promise.race(working);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(working);
  }
  if (failures.length > 0) throw failures[0];
}
