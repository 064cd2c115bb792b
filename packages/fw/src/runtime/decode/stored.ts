/** Whether a stored value is an object with named members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** True if a stored value is JSON, which dates and bigints are not. Undefined members are not stored. */
export function isJSON(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return true;
    case "object":
      if (Array.isArray(value)) return value.every(isJSON);
      return (
        value === null || (isRecord(value) && Object.values(value).every((each) => each === undefined || isJSON(each)))
      );
    default:
      return false;
  }
}
