import { describe, expect, test } from "vitest";
import { forwardedIP, plain } from "./client-ip.ts";

const socket = "10.0.0.1";

describe("Client IP", () => {
  test("is taken by counting from the right, past the hops the platform provisions", () => {
    expect(forwardedIP("1.1.1.1, 2.2.2.2, 3.3.3.3", socket, 1)).toBe("3.3.3.3");
    expect(forwardedIP("1.1.1.1, 2.2.2.2, 3.3.3.3", socket, 2)).toBe("2.2.2.2");
    expect(forwardedIP("2001:db8::1", socket, 1)).toBe("2001:db8::1");
  });

  test.each([
    ["no list", undefined, 1],
    ["a list shorter than the hops", "1.1.1.1", 2],
    ["an empty list", "", 1],
    ["an entry that is no address", "1.1.1.1, evil", 1],
    ["an empty entry", "1.1.1.1,", 1],
    ["no hop at all", "1.1.1.1", 0],
  ])("is the socket address for %s", (_what, header, hops) => {
    expect(forwardedIP(header, socket, hops)).toBe(socket);
  });

  test("is IPv4 where a dual-stack socket reports it inside IPv6", () => {
    expect(plain("::ffff:1.2.3.4")).toBe("1.2.3.4");
    expect(plain("::ffff:0")).toBe("::ffff:0");
  });
});
