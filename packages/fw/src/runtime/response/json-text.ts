import { Fault } from "../../declare/errors.ts";
import type { BundledEndpoint } from "../bundle.ts";

/** Encodes the result of an API as JSON. Throws a Fault for a value that JSON cannot represent. */
export function jsonText({ encode, route }: Pick<BundledEndpoint, "encode" | "route">, result: unknown): string {
  const text = encode === undefined ? JSON.stringify(result) : encode(result);
  if (text === undefined) throw new Fault(`${route} returned a ${typeof result}, which cannot be sent as JSON`);
  return text;
}
