import { fw } from "fw/vitest";
import { defineConfig } from "vitest/config";

// fw test needs none of this: the plugin lets an editor run single tests, and slow machines get more time.
export default defineConfig({ plugins: [fw()], test: { testTimeout: 20_000 } });
