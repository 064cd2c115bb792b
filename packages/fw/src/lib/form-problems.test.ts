import { expect, test } from "vitest";
import { describes, problemList } from "./form-problems.ts";

test("a field whose name contains spaces refers to its list of problems", () => {
  const sent = { problems: ["must be 1 or more"] };
  expect(describes(sent, "ticket count\t<1>")).toContain(`aria-describedby="ticket-count-&lt;1&gt;-problems"`);
  expect(problemList(sent, "ticket count\t<1>")).toContain(`<div id="ticket-count-&lt;1&gt;-problems"`);
});
