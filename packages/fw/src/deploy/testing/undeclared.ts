import { emptySchema } from "../../evolution/testing/versions.ts";
import type { LiveVersion } from "../live-versions.ts";

/** A version without data, for deploys whose data does not matter. */
export const undeclared: LiveVersion = { schema: emptySchema, uses: [] };
