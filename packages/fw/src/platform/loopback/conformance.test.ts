import { tries } from "../../lib/testing/tries.ts";
import { conformance } from "../testing/conformance.ts";
import { openServed } from "./testing/served.ts";

/** Fewer tries, because each call is a network hop. */
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
