import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/fw/src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/setup/build.ts", "test/setup/chromium.ts"],
    // Bounds for what hangs; no test measures by them, so that a busy machine fails none.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 45_000, interval: 5 } },
  },
});
