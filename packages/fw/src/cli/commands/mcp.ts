import { sourceRoot } from "../app-root.ts";
import { command, type Command } from "../command.ts";
import { version } from "../version.ts";

export const mcp: Command = command({
  name: "mcp",
  summary: "serve tools about the application to a coding agent over MCP",
  details: [
    "Runs a Model Context Protocol server over standard input and output, which an agent starts. Its tools report problems, declarations, routes, requests, logs, data and metrics, run tests and search the documentation. Tools about the running application need fw dev in another terminal. docs/agents.md explains how agents start it.",
    "Without --allow-writes no tool changes data or calls routes.",
  ],
  options: {
    "allow-writes": {
      summary: "add tools that call routes, edit documents, replay messages, run crons and start jobs",
    },
  },
  examples: [
    { line: "fw mcp", says: "started by the agent" },
    { line: "fw mcp --allow-writes", says: "with tools that change data" },
  ],
  async run(options, io) {
    const root = sourceRoot(io.cwd);
    const { McpServer } = await import("../mcp/server.ts");
    const { toolsFor } = await import("../mcp/tools.ts");
    const server = new McpServer({
      version: version(),
      root,
      env: io.env,
      tools: toolsFor({ allowWrites: options.allowWrites === true }),
      write: (text) => io.out.write(text),
      log: (line) => io.err.write(`${line}\n`),
    });
    const isOrderly = await new Promise<boolean>((resolve) => {
      const stopReading = io.input.read(
        (chunk) => {
          if (!server.take(chunk)) end(false);
        },
        () => end(true),
      );
      const stopListening = io.onStop(() => end(true));
      const end = (orderly: boolean): void => {
        stopReading();
        stopListening();
        resolve(orderly);
      };
    });
    await server.close();
    return isOrderly ? 0 : 1;
  },
});
