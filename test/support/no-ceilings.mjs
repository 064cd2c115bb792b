// Preloaded module that postpones every timer of 7 seconds or more indefinitely: waiting must end for another reason
// than a time limit.
const begin = globalThis.setTimeout;
const longest = 2 ** 31 - 1;

globalThis.setTimeout = Object.assign((then, ms, ...given) => begin(then, ms >= 7_000 ? longest : ms, ...given), begin);
