// A service that listens, does no work and prints the configuration that it receives.
import { createServer } from "node:http";
import { createInterface } from "node:readline";

createInterface({ input: process.stdin })
  .once("line", listen)
  .once("close", () => process.exit(0));
process.once("SIGTERM", () => process.exit(0));

function listen(told) {
  process.stdout.write(`TOLD ${told}\n`);
  const server = createServer((_req, res) => res.end());
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    process.stdout.write(`${JSON.stringify({ message: "listening", service: "thief", port, relayPort: port })}\n`);
  });
}
