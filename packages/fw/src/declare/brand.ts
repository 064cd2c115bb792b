/**
 * True for objects with the property `brand`. A registered symbol works across copies of the package; `instanceof` does
 * not.
 */
export function hasBrand(value: unknown, brand: symbol): boolean {
  try {
    return typeof value === "object" && value !== null && brand in value;
  } catch {
    // A proxy may throw from its `has` trap.
    return false;
  }
}
