import { isRecord } from "../../lib/record-in.ts";

/** True if a stored value is JSON, which dates and bigints are not. Ignores undefined members, which are not stored. */
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
