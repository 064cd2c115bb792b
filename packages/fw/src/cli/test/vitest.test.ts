import { expect, test } from "vitest";
import { defineConfig } from "vitest/config";
import { fw } from "./vitest.ts";

test("the plugin fits into Vitest's configuration, and lets Node import fw itself", () => {
  const { plugins } = defineConfig({ plugins: [fw()] });
  expect(plugins).toHaveLength(1);
  const [own] = (fw().config() as { test: { server: { deps: { external: RegExp[] } } } }).test.server.deps.external;
  expect(import.meta.filename).toMatch(own ?? "");
});
