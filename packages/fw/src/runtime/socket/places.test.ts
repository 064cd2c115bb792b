import { expect, test } from "vitest";
import { socketConnections, socketsOfAddress } from "../../lib/limits.ts";
import { takePlace } from "./places.ts";

test("a process has as many as it takes, and each place is given back once", () => {
  const places = Array.from({ length: socketConnections }, (_, i) => takePlace(`a${Math.floor(i / socketsOfAddress)}`));
  expect(() => takePlace("one more")).toThrow(expect.objectContaining({ status: 503 }));
  places[0]?.();
  places[0]?.();
  const again = takePlace("one more");
  expect(() => takePlace("and another")).toThrow(expect.objectContaining({ status: 503 }));
  for (const leave of [again, ...places]) leave();
  const all = Array.from({ length: socketsOfAddress }, () => takePlace("a1"));
  expect(() => takePlace("a1")).toThrow(expect.objectContaining({ status: 429 }));
  for (const leave of all) leave();
});
