import { expect, onTestFinished, test, vi } from "vitest";
import { failure } from "../testing/conformance/fixture.ts";
import { readAddress } from "./address.ts";
import { Connections } from "./connections.ts";
import type { Driver, DriverPool, PooledClient } from "./driver.ts";

const writeText = "SELECT * FROM @@write($1)";

/** Creates a driver whose server responds with what `respond` returns or throws. */
function driverOf(respond: (text: string) => readonly Record<string, string>[]): Driver {
  const client = {
    query: async (statement: string | { readonly text: string }) => ({
      rows: respond(typeof statement === "string" ? statement : statement.text),
    }),
    release: () => {},
    on: () => {},
  } as unknown as PooledClient;
  class Pool implements DriverPool {
    connect = async () => client;
    totalCount = 1;
    idleCount = 1;
    on = () => {};
    end = async () => {};
  }
  return { Pool, Client: vi.fn() };
}

function connectionsOf(respond: (text: string) => readonly Record<string, string>[]): Connections {
  return new Connections(driverOf(respond), readAddress("postgres://fw@localhost/test?schema=test"), undefined);
}

test("a statement that ends its connection each time fails, and is proved not to have been made", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let attempts = 0;
  const connections = connectionsOf((text) => {
    if (text.includes("token FROM")) return [{ token: "-1" }];
    if (!text.includes("write(")) return [];
    attempts += 1;
    vi.advanceTimersByTime(6_000);
    throw new Error("Connection terminated unexpectedly");
  });
  expect(await failure(() => connections.single((key) => ({ text: writeText, values: [key] })))).toBe("unreachable");
  expect(attempts).toBe(4);
});

test.each(["53100", "53200"])(
  "a write waits while the server has no space (%s), and is unreachable at last",
  async (code) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let failures = 2;
    const texts: string[] = [];
    const connections = connectionsOf((text) => {
      texts.push(text);
      if (!text.includes("write(") || failures === 0) return [{ outcome: "written" }];
      failures -= 1;
      vi.advanceTimersByTime(6_000);
      throw Object.assign(new Error("could not extend file: No space left on device"), { code, severity: "ERROR" });
    });
    const write = () => connections.single((key) => ({ text: writeText, values: [key] }));
    expect(await write()).toEqual({ rows: [{ outcome: "written" }] });
    failures = Infinity;
    expect(await failure(write)).toBe("unreachable");
    // Each attempt is rolled back, so none of them needs a proof.
    expect(texts.filter((text) => text.includes("commits"))).toEqual([]);
  },
);

test("a statement that the server cancels is not sent again", async () => {
  let attempts = 0;
  const connections = connectionsOf((text) => {
    if (text !== "SELECT 1") return [];
    attempts += 1;
    const error = new Error("canceling statement due to statement timeout");
    throw Object.assign(error, { code: "57014", severity: "ERROR" });
  });
  expect(await failure(() => connections.runRepeatable("SELECT 1"))).toBe("unreachable");
  expect(attempts).toBe(1);
});

test("a plan that no longer fits is replaced even after deadlocks", async () => {
  const errors = ["40P01", "40P01", "40P01", "40P01", "26000"];
  const connections = connectionsOf(() => {
    const code = errors.shift();
    if (code !== undefined) throw Object.assign(new Error("refused"), { code, severity: "ERROR" });
    return [{ n: "1" }];
  });
  expect(await connections.runRepeatable("SELECT 1")).toEqual([{ n: "1" }]);
});
