/** The most answers of a second that keep their headers and bodies, besides refusals and failures. */
const recordsPerSecond = 100;

/**
 * Returns a function that says whether to keep an answer. It drops most answers of a load test, because keeping them
 * all would cost more than answering them.
 */
export function loadFilter(now: () => number = () => performance.now()): (status: number) => boolean {
  let endOfSecond = 0;
  let count = 0;
  return (status) => {
    if (status >= 400) return true;
    const at = now();
    if (at >= endOfSecond) {
      endOfSecond = at + 1_000;
      count = 0;
    }
    count += 1;
    return count <= recordsPerSecond;
  };
}
