import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isOwnHost } from "./own-host.ts";

test.each([
  "localhost:8080",
  "LOCALHOST",
  "app.localhost:8080",
  "127.0.0.1:8080",
  "192.168.1.7",
  "[::1]:8080",
  "laptop:8080",
])("the dev server answers to %s", (header) => {
  expect(isOwnHost(header, "127.0.0.1")).toBe(true);
});

test.each(["evil.example:8080", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", undefined])(
  "the dev server does not answer to %s",
  (header) => {
    expect(isOwnHost(header, "127.0.0.1")).toBe(false);
    expect(isOwnHost(header, "0.0.0.0")).toBe(false);
  },
);

test("the dev server answers to the name that --host gives, and to the machine's own where it listens on every address", () => {
  expect(isOwnHost("dev.example:8080", "dev.example")).toBe(true);
  expect(isOwnHost(`${hostname()}.local:8080`, "0.0.0.0")).toBe(true);
  expect(isOwnHost(`${hostname()}.local:8080`, "127.0.0.1")).toBe(false);
});
