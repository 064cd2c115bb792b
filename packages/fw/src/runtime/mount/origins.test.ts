import { expect, test } from "vitest";
import { bundleOf, mounts, start } from "../testing/app.ts";
import { request } from "../testing/server.ts";

test("the Service's origins decide which pages read a mount, whatever its handler answers", async () => {
  const headers = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "X-Secret",
  };
  const bundle = bundleOf(mounts({ "/lib": () => new Response("x", { headers }) }));
  const origins = { allowed: ["https://page.example"], credentials: false };
  await using appWithOrigins = await start({
    ...bundle,
    packages: bundle.packages.map((each) => ({ ...each, origins })),
  });
  const stranger = await request(appWithOrigins.port, "/lib", { Origin: "https://evil.example" });
  expect([stranger.status, [...stranger.headers.keys()].filter((name) => name.startsWith("access-control-"))]).toEqual([
    200,
    [],
  ]);
  const page = await request(appWithOrigins.port, "/lib", { Origin: "https://page.example" });
  expect(page.headers.get("access-control-allow-origin")).toBe("https://page.example");
  expect(page.headers.get("access-control-allow-credentials")).toBeUndefined();
  expect(page.headers.get("access-control-expose-headers")).not.toContain("X-Secret");
  await using silent = await start(bundle);
  expect((await request(silent.port, "/lib")).headers.get("access-control-allow-origin")).toBe("*");
});
