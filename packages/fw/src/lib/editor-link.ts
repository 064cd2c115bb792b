import { pathToFileURL } from "node:url";

/** The URL schemes that editors register, keyed by the value of `FW_EDITOR`. */
const editors = {
  vscode: "vscode://file{file}:{line}:{column}",
  cursor: "cursor://file{file}:{line}:{column}",
  windsurf: "windsurf://file{file}:{line}:{column}",
  zed: "zed://file{file}:{line}:{column}",
  jetbrains: "idea://open?file={file}&line={line}&column={column}",
  sublime: "subl://open?url=file://{file}&line={line}&column={column}",
} as const;

/**
 * Returns the URL that opens a file of the application in the developer's editor, with the placeholders `{path}`,
 * `{line}` and `{column}`. `FW_EDITOR` names an editor or a URL with `{file}`, `{line}` and `{column}`; it defaults to
 * the terminal's editor, or else to Visual Studio Code. fw never starts a program on behalf of a web page.
 */
export function editorTemplate(root: string, env: NodeJS.ProcessEnv = process.env): string {
  const choice = env["FW_EDITOR"] ?? terminalEditor(env);
  const known: Readonly<Record<string, string>> = editors;
  const template = Object.hasOwn(known, choice) ? known[choice] : choice;
  return (template ?? editors.vscode).replaceAll("{file}", `${pathToFileURL(root).pathname}/{path}`);
}

/** Returns the URL that opens a location in the application's code in the developer's editor. */
export function editorLink(
  root: string,
  { path, line, column }: { path: string; line: number; column: number },
): string {
  const values = { path: path.split("/").map(encodeURIComponent).join("/"), line, column };
  return editorTemplate(root).replaceAll(
    /\{(path|line|column)\}/g,
    (_all, name: keyof typeof values) => `${values[name]}`,
  );
}

function terminalEditor(env: NodeJS.ProcessEnv): keyof typeof editors {
  if (env["TERMINAL_EMULATOR"]?.startsWith("JetBrains")) return "jetbrains";
  if (env["ZED_TERM"] !== undefined) return "zed";
  return env["CURSOR_TRACE_ID"] === undefined ? "vscode" : "cursor";
}
