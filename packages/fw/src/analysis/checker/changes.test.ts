import { expect, test } from "vitest";
import { Changes } from "./changes.ts";

test("what is given back comes before what was saved since", () => {
  const changes = new Changes();
  changes.note("/a.ts", "changed");
  changes.note("/b.ts", "created");
  const taken = changes.take();
  changes.note("/a.ts", "deleted");
  if (taken) changes.giveBack(taken);
  expect(changes.take()).toEqual({ changed: ["/b.ts"], created: ["/b.ts"], deleted: ["/a.ts"] });
  expect(changes.take()).toBeUndefined();
});
