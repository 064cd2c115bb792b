import { createHook } from "node:async_hooks";

/** Counts the password derivations that Node runs during the work, and the maximum that run concurrently. */
export async function derivationsOf(work: () => Promise<unknown>): Promise<{ count: number; atOnce: number }> {
  const running = new Set<number>();
  const counts = { count: 0, atOnce: 0 };
  const hook = createHook({
    init(id, type) {
      if (type !== "PBKDF2REQUEST") return;
      running.add(id);
      counts.count++;
      counts.atOnce = Math.max(counts.atOnce, running.size);
    },
    before: (id) => void running.delete(id),
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return counts;
}
