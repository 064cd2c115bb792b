// Matches file names that some file systems reach under several spellings, or not at all.
// eslint-disable-next-line no-control-regex
const ambiguousName = /[\u0000-\u001f\u007f\\:]|[. ]$/;

/**
 * True if a site may serve the file with these path segments: nothing in `templates/` or `_fw/`, no segment that starts
 * with a dot except a leading `.well-known`, and no ambiguous names.
 */
export function isServed(names: readonly string[]): boolean {
  const [first, ...rest] = names;
  if (first === undefined || first === "_fw" || first.toLowerCase() === "templates") return false;
  return (first === ".well-known" || isServedName(first)) && rest.every(isServedName);
}

function isServedName(name: string): boolean {
  return name !== "" && !name.startsWith(".") && !name.includes("/") && !ambiguousName.test(name);
}

/**
 * True for a name that contains a hash (`app.3f2a91bc.js`): a segment of 8 or more hexadecimal digits that is not a
 * date.
 */
export function isFingerprinted(name: string): boolean {
  return name.split(/[._-]/).some((segment) => /^[0-9a-f]{8,}$/i.test(segment) && !isDate(segment));
}

/** True for digits such as `20261121` and `20261121093000`, which are dates rather than hashes. */
function isDate(segment: string): boolean {
  return /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6})?$/.test(segment);
}
