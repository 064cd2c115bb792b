/** Returns the name or address in a Host header, in lower case and without port or brackets; "" if it is invalid. */
export function hostNameOf(header: string | undefined): string {
  const name = (header ?? "")
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
  return /^[\w.:-]{1,253}$/.test(name) ? name : "";
}
