import { expect, test } from "vitest";
import { PreparedNames, Statements } from "./statements.ts";

test("a statement has a name from its second use on, the same in every process", () => {
  const [one, other] = [new Statements("fw.", true), new Statements("fw.", true)];
  expect(one.of("SELECT 1 FROM @@numbers")).toEqual({ text: "SELECT 1 FROM fw.numbers" });
  const named = one.of("SELECT 1 FROM @@numbers");
  expect(named.name).toMatch(/^fw_[\w-]{40}$/);
  other.of("SELECT 1 FROM @@numbers");
  expect(other.of("SELECT 1 FROM @@numbers")).toEqual(named);
  expect(named.name).not.toBe([1, 2].map(() => other.of("SELECT 2 FROM @@numbers"))[1]?.name);
});

test("without prepared statements no statement has a name", () => {
  const statements = new Statements("fw.", false);
  expect([1, 2, 3].map(() => statements.of("SELECT 1"))).toEqual([1, 2, 3].map(() => ({ text: "SELECT 1" })));
});

test("a text that has not run among the last 200 is planned again", () => {
  const statements = new Statements("fw.", true);
  const use = (n: number): string | undefined => statements.of(`SELECT ${n}`).name;
  use(0);
  for (let n = 1; n < 200; n++) use(n);
  expect(use(0)).toBeDefined();
  for (let n = 200; n < 399; n++) use(n);
  expect(use(0)).toBeDefined();
  for (let n = 400; n < 600; n++) use(n);
  expect(use(0)).toBeUndefined();
});

test("a connection that has prepared over 200 statements is full", () => {
  const prepared = new PreparedNames();
  for (let n = 0; n < 200; n++) prepared.add({ text: "", name: `${n}` });
  prepared.add({ text: "", name: "0" });
  expect(prepared.isFull).toBe(false);
  prepared.add({ text: "", name: "200" });
  expect(prepared.isFull).toBe(true);
});
