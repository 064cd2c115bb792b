import { describe, expect, test } from "vitest";
import { assert, ipV4, pre, property, string } from "fast-check";
import { behindProxies, type Client } from "./client-address.ts";

function visitor(proxies: readonly string[], address: string, headers: Readonly<Record<string, string>> = {}): Client {
  return behindProxies(proxies)({ address, header: (name) => headers[name] });
}

const forwardedHeaders = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" };

describe("where a request came from", () => {
  test("a proxy that is not named says nothing that counts", () => {
    for (const proxies of [[], ["10.0.0.0/8"], ["2001:db8::/32"]])
      expect(visitor(proxies, "192.0.2.1", forwardedHeaders)).toEqual({ address: "192.0.2.1", scheme: "http" });
    expect(visitor(["10.0.0.0/8"], "not an address", forwardedHeaders)).toEqual({
      address: "not an address",
      scheme: "http",
    });
  });

  test("the address is the first from the right that is no named proxy's", () => {
    const proxies = ["10.0.0.0/8", "2001:db8::1"];
    const of = (list: string): string => visitor(proxies, "::ffff:10.0.0.1", { "x-forwarded-for": list }).address;
    expect(of("203.0.113.7")).toBe("203.0.113.7");
    expect(of("198.51.100.1, 203.0.113.7, 2001:db8::1, 10.1.2.3")).toBe("203.0.113.7");
    expect(of("10.1.2.3")).toBe("10.1.2.3");
    expect(of("203.0.113.7, garbage, 10.1.2.3")).toBe("10.1.2.3");
    expect(of("203.0.113.7:443")).toBe("10.0.0.1");
    expect(of("")).toBe("10.0.0.1");
    expect(of("2001:db8::2")).toBe("2001:db8::2");
  });

  test("requests of proxies and of others are told apart in any order", () => {
    const clientOf = behindProxies(["10.0.0.0/8"]);
    const header = (name: string): string | undefined =>
      Object.entries(forwardedHeaders).find(([key]) => key === name)?.[1];
    const addresses = ["10.0.0.1", "192.0.2.1", "10.0.0.1", "10.0.0.2", "192.0.2.1"].map(
      (address) => clientOf({ address, header }).address,
    );
    expect(addresses).toEqual(["203.0.113.7", "192.0.2.1", "203.0.113.7", "203.0.113.7", "192.0.2.1"]);
  });

  test("the scheme is the last one, as the proxy that is connected wrote it", () => {
    const of = (scheme: string): string => visitor(["10.0.0.1"], "10.0.0.1", { "x-forwarded-proto": scheme }).scheme;
    expect(["https", "HTTPS", "http, https"].map(of)).toEqual(["https", "https", "https"]);
    expect(["http", "", "https, http", "https;", "xhttps"].map(of)).toEqual(["http", "http", "http", "http", "http"]);
    expect(visitor(["10.0.0.1"], "10.0.0.1").scheme).toBe("http");
  });

  test("no more than so many entries are looked at", () => {
    // The number in docs/limits.md, not the constant: a test that imports the constant would accept any change.
    const list = ["203.0.113.7", ...Array.from({ length: 16 }, (_, i) => `10.0.1.${i}`)].join(", ");
    expect(visitor(["10.0.0.0/8"], "10.0.0.1", { "x-forwarded-for": list }).address).toBe("10.0.1.0");
  });

  test("whatever a visitor writes before what a proxy adds changes nothing", () => {
    assert(
      property(string(), ipV4(), (written, address) => {
        pre(!address.startsWith("10."));
        const list = `${written}, ${address}`;
        expect(visitor(["10.0.0.0/8"], "10.0.0.1", { "x-forwarded-for": list }).address).toBe(address);
      }),
    );
  });

  test.each(["localhost", "10.0.0.0/0", "10.0.0.0/33", "10.0.0.0/8/8", "::/129", "", "10.0.0.0/"])(
    "%s names no proxies",
    (named) => {
      expect(() => behindProxies([named])).toThrow("is neither an address");
    },
  );
});
