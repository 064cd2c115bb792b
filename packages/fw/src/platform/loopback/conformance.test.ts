import { tries } from "../../lib/testing/tries.ts";
import { conformance } from "../testing/conformance.ts";
import { openServed } from "./testing/served.ts";

/** Each call is a hop, so fewer than where there is none. */
const histories = tries(4);

conformance(
  "a platform that another process serves",
  async (definitions, clock) => {
    const served = await openServed(definitions, clock && { clock });
    const { client, local } = served;
    const platform = { ...client, dispatcher: local.dispatcher, prepare: local.prepare };
    return { platform, dispose: () => served.dispose() };
  },
  { histories, waits: true, redefines: true },
);
