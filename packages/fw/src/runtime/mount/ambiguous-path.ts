/** The maximum number of interpretations of a path to compare. A path with more is refused. */
const mostInterpretations = 64;

/** Matches parts that servers and libraries interpret differently: escapes, backslashes, empty segments and dots. */
const suspicious = /%|\\|\/\/|\/\.\.?(?:\/|$)/;

/**
 * True if a library could interpret a mount's path as another endpoint's path, bypassing that endpoint's gate. An
 * example is `/inner/admin%2fx` if `/inner/admin` is mounted as well. Libraries decode once or twice, collapse slashes,
 * resolve dots, or do none of these.
 */
export function isAmbiguousPath(path: string, isSame: (path: string) => boolean): boolean {
  if (!suspicious.test(path)) return false;
  const interpretations = new Set([path]);
  for (const interpretation of interpretations) {
    if (!isSame(interpretation) || interpretations.size > mostInterpretations) return true;
    for (const interpret of interpreters) interpretations.add(interpret(interpretation));
  }
  return false;
}

const interpreters: readonly ((path: string) => string)[] = [
  decodeOnce,
  (path) => path.replaceAll("\\", "/"),
  (path) => path.replace(/\/{2,}/g, "/"),
  resolveDots,
  // An escaped ? or # ends the path in libraries that decode first.
  (path) => path.replace(/[?#].*$/s, ""),
];

/**
 * Decodes ASCII escapes, because other characters are not separators. Leaves an escaped percent sign unless it forms
 * another escape.
 */
function decodeOnce(path: string): string {
  return path.replace(/%25(?![0-9a-f]{2})|%([0-7][0-9a-f])/gi, (escape, code?: string) =>
    code === undefined ? escape : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function resolveDots(path: string): string {
  if (!/\/\.\.?(?:\/|$)/.test(path)) return path;
  const resolved: string[] = [];
  const steps = path.split("/").slice(1);
  for (const [index, step] of steps.entries()) {
    const isDots = step === "." || step === "..";
    if (step === "..") resolved.pop();
    if (!isDots) resolved.push(step);
    else if (index === steps.length - 1) resolved.push("");
  }
  return `/${resolved.join("/")}`;
}
