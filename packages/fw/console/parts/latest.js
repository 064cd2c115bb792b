/**
 * Returns a function that begins a request and returns its check: false once a later request has begun, so that a slow
 * older answer does not replace a newer one.
 */
export function latestOnly() {
  let last = 0;
  return () => {
    const own = ++last;
    return () => own === last;
  };
}
