import { expect, test } from "vitest";
import { defineConfig } from "vitest/config";
import { runningModules } from "../../lib/own-modules.ts";
import { fw } from "./vitest.ts";

interface Configured {
  test: { testTimeout: number; hookTimeout: number; server: { deps: { external: RegExp[] } } };
}

test("the plugin fits into Vitest's configuration, and lets Node import fw itself", () => {
  const { plugins } = defineConfig({ plugins: [fw()] });
  expect(plugins).toHaveLength(1);
  const [own] = (fw().config({}) as Configured).test.server.deps.external;
  for (const path of Object.values(runningModules)) expect(path).toMatch(own ?? "");
});

test("a test has longer than Vitest gives it, unless the application says how long", () => {
  const { testTimeout, hookTimeout } = (fw().config({ test: { testTimeout: 100 } }) as Configured).test;
  expect([testTimeout, hookTimeout]).toEqual([100, 30_000]);
});
