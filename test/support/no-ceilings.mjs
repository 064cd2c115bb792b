// Preloaded module that postpones every timer of 7 seconds or more indefinitely, so that no wait ends because of a time
// limit.
const begin = globalThis.setTimeout;
const longest = 2 ** 31 - 1;

globalThis.setTimeout = Object.assign((then, ms, ...given) => begin(then, ms >= 7_000 ? longest : ms, ...given), begin);
