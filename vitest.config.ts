import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/fw/src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/setup/build.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
