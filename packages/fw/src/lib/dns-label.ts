/** Converts a name to a DNS label: lower-case letters, digits and hyphens. */
export function dnsLabel(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}
