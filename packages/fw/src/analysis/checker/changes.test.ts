import { expect, test } from "vitest";
import { PendingChanges } from "./pending-changes.ts";

test("what is given back comes before what was saved since", () => {
  const changes = new PendingChanges();
  changes.note("/a.ts", "changed");
  changes.note("/b.ts", "created");
  const taken = changes.take();
  changes.note("/a.ts", "deleted");
  if (taken) changes.requeue(taken);
  expect(changes.take()).toEqual({ changed: ["/b.ts"], created: ["/b.ts"], deleted: ["/a.ts"] });
  expect(changes.take()).toBeUndefined();
});
