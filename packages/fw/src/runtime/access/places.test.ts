import { expect, test } from "vitest";
import { ConnectionPlaces, socketsOfAddress, socketsOfUser, socketConnections } from "./places.ts";

function newPlaces(): ConnectionPlaces {
  return new ConnectionPlaces({ ofAddress: socketsOfAddress, ofUser: socketsOfUser, ofProcess: socketConnections });
}

const statusError = (status: number): unknown => expect.objectContaining({ status });

test("a process has as many as it takes, and each place is given back once", () => {
  const places = newPlaces();
  const leaves = Array.from({ length: socketConnections }, (_, i) =>
    places.take({ ip: `a${Math.floor(i / socketsOfAddress)}`, user: undefined }),
  );
  const other = { ip: "one more", user: undefined };
  expect(() => places.take(other)).toThrow(statusError(503));
  leaves[0]?.();
  leaves[0]?.();
  places.take(other);
  expect(() => places.take({ ip: "and another", user: undefined })).toThrow(statusError(503));
});

test("an address has as many as it takes", () => {
  const places = newPlaces();
  const leaves = Array.from({ length: socketsOfAddress }, (_, i) => places.take({ ip: "a", user: `u${i}` }));
  expect(() => places.take({ ip: "a", user: undefined })).toThrow(statusError(429));
  leaves[0]?.();
  places.take({ ip: "a", user: undefined });
});

test("a user has as many as it takes, wherever it comes from", () => {
  const places = newPlaces();
  const leaves = Array.from({ length: socketsOfUser }, (_, i) => places.take({ ip: `a${i}`, user: "ann" }));
  expect(() => places.take({ ip: "b", user: "ann" })).toThrow(statusError(429));
  places.take({ ip: "b", user: "ben" });
  leaves[0]?.();
  places.take({ ip: "b", user: "ann" });
});
