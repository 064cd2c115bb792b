/** The stored property of a document with the id of its tenant. */
export const tenantProperty = "@tenant";

const uniquePrefix = "@unique:";

/** The stored property that keeps the values of a `Unique` field apart for each tenant. */
export function uniqueProperty(field: string): string {
  return `${uniquePrefix}${field}`;
}

/** The field of a property that `uniqueProperty` named; undefined for another property. */
export function fieldOfUnique(property: string): string | undefined {
  return property.startsWith(uniquePrefix) ? property.slice(uniquePrefix.length) : undefined;
}

/** True for a stored property that only fw reads and writes. */
export function isTenantProperty(property: string): boolean {
  return property === tenantProperty || property.startsWith(uniquePrefix);
}
