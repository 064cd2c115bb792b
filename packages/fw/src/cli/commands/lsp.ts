import { command, type Command } from "../command.ts";
import { version } from "../version.ts";

export const lsp: Command = command({
  name: "lsp",
  summary: "run the language server for editors",
  details: [
    "Speaks the Language Server Protocol over standard input and output; your editor starts it. It reports the same problems as fw check, including those in unsaved files, except for TypeScript's own errors, which editors show themselves. docs/editor.md explains how to set up an editor.",
  ],
  options: { stdio: { summary: "use standard input and output; this is the default" } },
  examples: [{ line: "fw lsp", says: "start the server from an editor" }],
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
