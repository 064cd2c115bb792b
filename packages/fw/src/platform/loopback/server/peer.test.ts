import { expect, test } from "vitest";
import type { Transaction } from "../../contract.ts";
import type { StoredObject } from "../../objects.ts";
import { failure, ManualClock } from "../../testing/conformance/fixture.ts";
import { Peer, loopbackKept } from "./peer.ts";

const transaction = {} as Transaction;
const object = {} as StoredObject;

test("a process keeps 10,000 transactions and 10,000 opened objects; beyond it the oldest is dropped", async () => {
  const peer = new Peer(new ManualClock());
  const handles = Array.from({ length: loopbackKept }, (_, i) => {
    peer.keepTransaction(`${i}`, transaction);
    return peer.keepObject(object);
  });
  expect(peer.transaction("0")).toBe(transaction);
  expect(peer.object(handles[0] ?? "")).toBe(object);
  peer.keepTransaction("one more", transaction);
  peer.keepObject(object);
  expect(await failure(() => peer.transaction("0"))).toBe("conflict");
  expect(await failure(() => peer.object(handles[0] ?? ""))).toBe("unreachable");
  expect(peer.transaction("1")).toBe(transaction);
  expect(peer.object(handles[1] ?? "")).toBe(object);
});

test("what a client has forgotten, and everything at the end, is let go", async () => {
  const peer = new Peer(new ManualClock());
  const [first, second] = [peer.keepObject(object), peer.keepObject(object)];
  peer.keepTransaction("t", transaction);
  peer.forgetObject(first);
  expect(await failure(() => peer.object(first))).toBe("unreachable");
  expect(peer.object(second)).toBe(object);
  peer.end();
  expect(await failure(() => peer.object(second))).toBe("unreachable");
  expect(await failure(() => peer.transaction("t"))).toBe("conflict");
});
