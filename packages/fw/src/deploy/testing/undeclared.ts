import { schemaVersion } from "../../evolution/recorded.ts";
import type { LiveVersion } from "../live-versions.ts";

/** A version without data, for deploys whose data does not matter. */
export const undeclared: LiveVersion = {
  schema: {
    version: schemaVersion,
    app: "shop",
    entities: {},
    messages: {},
    buckets: [],
    session: { roles: [], providers: [] },
    endpoints: {},
    types: {},
  },
  uses: [],
};
