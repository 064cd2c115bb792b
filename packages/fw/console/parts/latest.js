/**
 * Returns a function to call when a request starts. It returns a check that is true until a later request starts, so
 * that a slow older response does not replace a newer one.
 */
export function latestOnly() {
  let last = 0;
  return () => {
    const own = ++last;
    return () => own === last;
  };
}
