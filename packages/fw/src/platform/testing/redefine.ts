import type { Definitions } from "../contract.ts";
import type { LocalPlatform } from "../local/open.ts";

/** Prepares definitions and commits them immediately. */
export async function redefine(platform: Pick<LocalPlatform, "prepare">, definitions: Definitions): Promise<void> {
  await (await platform.prepare(definitions)).commit();
}
