import { tries } from "../../lib/testing/tries.ts";
import { conformance } from "../testing/conformance.ts";
import { openServed } from "./testing/served.ts";

/** Each call is a hop, so fewer than where there is none. */
const histories = tries(4);

conformance(
  "a platform that another process serves",
  async (definitions, clock) => {
    const served = await openServed(definitions, clock && { clock });
    return { platform: { ...served.client, dispatcher: served.local.dispatcher }, dispose: () => served.dispose() };
  },
  { histories, waits: true },
);
