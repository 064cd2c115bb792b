import { command, type Command } from "../command.ts";
import { version } from "../version.ts";

/** `fw lsp`. */
export const lsp: Command = command({
  name: "lsp",
  summary: "answer an editor: problems as they are typed, and what a declaration comes to",
  details: [
    "A language server over standard input and output, for an editor to start. It tells what fw check tells, of files that are not saved yet, but for TypeScript's own errors, which editors show themselves. docs/editor.md says how an editor starts it.",
  ],
  options: { stdio: { summary: "speak over standard input and output, as it does without" } },
  examples: [{ line: "fw lsp", says: "started by the editor" }],
  async run(_options, io) {
    const { LanguageServer } = await import("../../lsp/server.ts");
    return new Promise((resolve) => {
      const server = new LanguageServer({
        version: version(),
        env: io.env,
        write: (text) => io.out.write(text),
        log: (line) => io.err.write(`${line}\n`),
        onEnd: (orderly) => {
          stopReading();
          stopListening();
          resolve(orderly ? 0 : 1);
        },
      });
      const stopReading = io.input.read(
        (chunk) => server.take(chunk),
        () => server.end(),
      );
      const stopListening = io.onStop(() => server.end());
    });
  },
});
