/** Returns a name as a label of DNS: lowercase letters, digits and hyphens. */
export function dnsLabel(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}
