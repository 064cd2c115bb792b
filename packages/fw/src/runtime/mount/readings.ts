/** How many readings of one path fw compares; a path with more is refused. */
const mostReadings = 64;

/** Servers and libraries read these differently: escapes, backslashes, empty steps and dots. */
const suspicious = /%|\\|\/\/|\/\.\.?(?:\/|$)/;

/**
 * True if a library could read the path of a mount as one that another endpoint answers, whose gate this request would
 * bypass: `/inner/admin%2fx` where `/inner/admin` is mounted, too. Libraries decode once or twice, collapse slashes,
 * resolve dots, or do none of these.
 */
export function mayReadAsAnother(path: string, isSame: (reading: string) => boolean): boolean {
  if (!suspicious.test(path)) return false;
  const readings = new Set([path]);
  for (const reading of readings) {
    if (!isSame(reading) || readings.size > mostReadings) return true;
    for (const read of reads) readings.add(read(reading));
  }
  return false;
}

const reads: readonly ((path: string) => string)[] = [
  decodeOnce,
  (path) => path.replaceAll("\\", "/"),
  (path) => path.replace(/\/{2,}/g, "/"),
  resolveDots,
  // An escaped ? or # ends the path for a library that decodes first.
  (path) => path.replace(/[?#].*$/s, ""),
];

/** Escapes of ASCII; others are no separators. A percent sign stays escaped unless an escape goes on from it. */
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
