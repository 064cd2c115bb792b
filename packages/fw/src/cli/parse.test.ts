import { expect, test } from "vitest";
import { Refusal, type Command } from "./command.ts";
import { commandHelp, commandsPage } from "./help.ts";
import { findCommand, parseArguments, parseTyped } from "./parse.ts";

const move: Command = {
  name: "move",
  summary: "move things",
  details: [],
  arguments: [
    { name: "from", summary: "where they are" },
    { name: "to", takes: "optional", summary: "where they go" },
    { name: "thing", takes: "rest", summary: "what moves" },
  ],
  options: { fast: { summary: "at once" } },
  examples: [],
  run: async () => 0,
};
const show: Command = { ...move, name: "things show", arguments: [{ name: "thing", summary: "what to show" }] };

test("words go to a command's arguments in order, wherever its options stand", () => {
  const { options, words } = parseTyped(move, ["here", "--fast", "there", "cup", "--", "--spoon"]);
  const args = parseArguments(move, words);
  expect(options).toEqual({ fast: true });
  expect(args["from"]).toBe("here");
  expect(args["to"]).toBe("there");
  expect(args["thing"]).toEqual(["cup", "--spoon"]);
});

test("an option that may be given more than once is a list, and absent where it is not given", () => {
  const tagged: Command = { ...move, options: { tag: { value: "<tag>", many: true, summary: "a tag" } } };
  const { options } = parseTyped(tagged, ["here", "--tag", "a", "--tag=b"]);
  expect(options["tag"]).toEqual(["a", "b"]);
  expect(parseTyped(tagged, ["here"]).options["tag"]).toEqual([]);
  expect(() => parseTyped(tagged, ["here", "--tag"])).toThrow(new Refusal(`"--tag" needs a value: --tag <tag>`));
});

test("arguments that may be absent are absent", () => {
  const args = parseArguments(move, ["here"]);
  expect([args["to"], args["thing"]]).toEqual([undefined, []]);
});

test.each([
  [move, [], `"fw move" needs <from>: fw move <from> [<to>] [<thing> ...]`],
  [move, ["here", ""], `<to> of "fw move" is empty`],
  [show, ["cup", "spoon"], `"fw things show" does not take "spoon"`],
])("arguments of $name that are not right are refused with a sentence: %j", (command, words, sentence) => {
  expect(() => parseArguments(command, words)).toThrow(new Refusal(sentence));
});

test("a mistyped command with arguments is told what was meant", () => {
  expect(() => findCommand(["things", "shwo", "cup"], [move, show])).toThrow('did you mean "fw things show"?');
});

test("help and the page of commands list the arguments", () => {
  expect(commandHelp(move)).toContain(`Usage: fw move <from> [<to>] [<thing> ...] [options]

Arguments:
  <from>         where they are
  [<to>]         where they go
  [<thing> ...]  what moves

Options:`);
  expect(commandsPage([move])).toContain(`| argument | meaning |
|---|---|
| \`<from>\` | where they are |`);
});
