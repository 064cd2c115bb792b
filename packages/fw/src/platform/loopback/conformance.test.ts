import { conformance } from "../testing/conformance.ts";
import { openServed } from "./testing/served.ts";

/** Each call is a hop, so fewer than where there is none. */
const histories = 8;

conformance(
  "a platform that another process serves",
  async (definitions, clock) => {
    const { client, local, dispose } = await openServed(definitions, clock && { clock });
    return { platform: { ...client, dispatcher: local.dispatcher }, dispose };
  },
  histories,
);
