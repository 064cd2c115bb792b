import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isOwnHost, type OwnHosts } from "./own-host.ts";

const listening = (listensOn: string, ...allowed: string[]): OwnHosts => ({ listensOn, allowedHosts: allowed });

test.each([
  "localhost:8080",
  "LOCALHOST",
  "app.localhost:8080",
  "127.0.0.1:8080",
  "192.168.1.7",
  "[::1]:8080",
  "laptop:8080",
])("the dev server answers to %s", (header) => {
  expect(isOwnHost(header, listening("127.0.0.1"))).toBe(true);
});

test.each(["evil.example:8080", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", undefined])(
  "the dev server does not answer to %s",
  (header) => {
    expect(isOwnHost(header, listening("127.0.0.1"))).toBe(false);
    expect(isOwnHost(header, listening("0.0.0.0"))).toBe(false);
  },
);

test("the dev server answers to the name that --host gives, and to the machine's own where it listens on every address", () => {
  expect(isOwnHost("dev.example:8080", listening("dev.example"))).toBe(true);
  expect(isOwnHost(`${hostname()}.local:8080`, listening("0.0.0.0"))).toBe(true);
  expect(isOwnHost(`${hostname()}.local:8080`, listening("127.0.0.1"))).toBe(false);
});

test.each([
  ["app.tunnel.example", "app.tunnel.example"],
  ["APP.tunnel.example:443", "app.tunnel.example"],
  ["tunnel.example", ".tunnel.example"],
  ["a.b.tunnel.example", ".tunnel.example"],
])("the dev server answers to %s where %s is allowed", (header, allowed) => {
  expect(isOwnHost(header, listening("127.0.0.1", "other.example", allowed))).toBe(true);
});

test.each([
  ["b.app.tunnel.example", "app.tunnel.example"],
  ["eviltunnel.example", ".tunnel.example"],
  ["tunnel.example.evil.example", ".tunnel.example"],
  ["app.tunnel.example@evil.example", "app.tunnel.example"],
  ["tunnel.example.", ".tunnel.example"],
])("the dev server does not answer to %s where %s is allowed", (header, allowed) => {
  expect(isOwnHost(header, listening("127.0.0.1", allowed))).toBe(false);
});
