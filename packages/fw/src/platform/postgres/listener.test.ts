import { expect, test } from "vitest";
import { readAddress } from "./address.ts";
import { Connections } from "./connections.ts";
import type { Driver } from "./driver.ts";

/** A driver whose connections are never opened. */
const driver = {
  Pool: class {
    on(): void {}
  },
} as unknown as Driver;

test("the name of a channel fits the 63 bytes of PostgreSQL even if the schema's name is that long", () => {
  const { listener } = new Connections(driver, readAddress(`postgres://db/app?schema=${"s".repeat(63)}`), undefined);
  for (const name of ["changes", "messages"]) expect(listener.channelOf(name).length).toBeLessThanOrEqual(63);
  expect(listener.channelOf("changes")).not.toBe(listener.channelOf("messages"));
});
