/** The stored property with the id of a document's tenant. */
export const tenantProperty = "@tenant";

/** Returns a document's stored id, which starts with its tenant's id if it has a tenant. */
export function storedId(tenant: unknown, id: string): string {
  return typeof tenant === "string" ? `${tenant}/${id}` : id;
}

const uniquePrefix = "@unique:";

/** Returns the stored property that makes the values of a `Unique` field unique per tenant. */
export function uniqueProperty(field: string): string {
  return `${uniquePrefix}${field}`;
}

/** Returns the field for a property named by `uniqueProperty`; undefined for other properties. */
export function fieldOfUnique(property: string): string | undefined {
  return property.startsWith(uniquePrefix) ? property.slice(uniquePrefix.length) : undefined;
}

/** True for a stored property that only fw reads and writes. */
export function isTenantProperty(property: string): boolean {
  return property === tenantProperty || property.startsWith(uniquePrefix);
}
