import { fw } from "fw/vitest";
import { defineConfig } from "vitest/config";

// fw test does not need this file. The plugin lets editors run single tests, and the timeout suits slow machines.
export default defineConfig({ plugins: [fw()], test: { testTimeout: 20_000 } });
