/** True for an object that carries `brand`. A registered symbol holds across copies of the package; a class does not. */
export function hasBrand(value: unknown, brand: symbol): boolean {
  try {
    return typeof value === "object" && value !== null && brand in value;
  } catch {
    // A proxy that does not let itself be asked.
    return false;
  }
}
