import { tries } from "../../lib/testing/tries.ts";
import { conformance } from "../testing/conformance.ts";
import { deployedPlatform } from "./testing/deployed-platform.ts";

conformance(
  "the platform on the fake cloud",
  async (definitions, clock) => ({ platform: await deployedPlatform(definitions, clock), dispose: async () => {} }),
  { histories: tries(1), documents: tries(30), contenders: tries(10), waits: true, notifies: false, misfits: true },
);
