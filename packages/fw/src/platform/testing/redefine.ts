import type { Definitions } from "../contract.ts";
import type { LocalPlatform } from "../local/open.ts";

/** Prepares and commits definitions in one go. */
export async function redefine(platform: Pick<LocalPlatform, "prepare">, definitions: Definitions): Promise<void> {
  await (await platform.prepare(definitions)).commit();
}
