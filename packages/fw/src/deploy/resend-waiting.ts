import type { Manifest } from "../build/manifest.ts";
import { deliveryConcurrency } from "../lib/limits.ts";
import type { Consumer } from "../platform/messages.ts";
import type { CloudConnection } from "./connect.ts";
import type { DeployPlace } from "./deploy-place.ts";
import { openOperator, type Environment } from "./operate/operator.ts";

/** Resends messages that did not fit the code before this deploy, and resolves with their number. */
export async function resendWaiting(
  { services }: Manifest,
  place: DeployPlace,
  { connected, env }: { readonly connected: CloudConnection; readonly env: Environment },
): Promise<number> {
  const consumers = services.flatMap(({ name: id, receives }): readonly Consumer[] => {
    if (receives === undefined) return [];
    const { source: destination, delivery } = receives;
    return [{ id, destination, delivery: { ...delivery, concurrency: deliveryConcurrency } }];
  });
  if (consumers.length === 0) return 0;
  const { deadMessages } = await openOperator(place, { kinds: [], consumers }, connected, env);
  return deadMessages.resendWaiting();
}
