import { expect, test } from "vitest";
import { editorLink, editorTemplate } from "./editor-link.ts";

test("a place opens in the editor of the terminal, or the one that FW_EDITOR names", () => {
  const templateOf = (env: NodeJS.ProcessEnv): string => editorTemplate("/home/ann/my app", env);
  expect(templateOf({})).toBe("vscode://file/home/ann/my%20app/{path}:{line}:{column}");
  expect(templateOf({ CURSOR_TRACE_ID: "1" })).toMatch(/^cursor:/);
  expect(templateOf({ TERMINAL_EMULATOR: "JetBrains-JediTerm" })).toBe(
    "idea://open?file=/home/ann/my%20app/{path}&line={line}&column={column}",
  );
  expect(templateOf({ TERMINAL_EMULATOR: "JetBrains-JediTerm", FW_EDITOR: "zed" })).toMatch(/^zed:/);
  expect(templateOf({ FW_EDITOR: "mine://{file}#{line}" })).toBe("mine:///home/ann/my%20app/{path}#{line}");
});

test("each character of a path stays part of it", () => {
  const link = editorLink("/app", { path: "shop/a?b #c.ts", line: 3, column: 7 });
  expect(link).toMatch(/\/app\/shop\/a%3Fb%20%23c\.ts/);
});
