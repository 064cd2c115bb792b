import { Fault } from "../../declare/errors.ts";
import type { BundledEndpoint } from "../bundle.ts";

/** What an API returned as JSON. Throws a Fault where JSON has no word for it. */
export function jsonText({ encode, route }: Pick<BundledEndpoint, "encode" | "route">, result: unknown): string {
  const text = encode === undefined ? JSON.stringify(result) : encode(result);
  if (text === undefined) throw new Fault(`${route} returned a ${typeof result}, which JSON cannot hold`);
  return text;
}
