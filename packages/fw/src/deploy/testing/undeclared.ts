import { emptySchema } from "../../evolution/testing/versions.ts";
import type { LiveVersion } from "../live-versions.ts";

/** A version without data, for deploys in tests that do not depend on data. */
export const undeclared: LiveVersion = { schema: emptySchema, uses: [] };
