import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a free port outside the range of automatically assigned ports, for servers that must know each other's ports
 * before they start.
 */
export async function freeFixedPort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
