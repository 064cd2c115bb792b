import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Connection, loopbackConnections } from "./connection.ts";

test("a call that waits for a connection shows a token of the time when it gets one", async () => {
  const responses: ServerResponse[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    authorizations.push(req.headers.authorization);
    responses.push(res);
    req.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  let token = "early";
  const { port } = server.address() as AddressInfo;
  const connection = new Connection({ url: `http://127.0.0.1:${port}`, token: () => token });

  const calls = Array.from({ length: loopbackConnections + 1 }, () => connection.read("now", "[]"));
  await expect.poll(() => authorizations.length).toBe(loopbackConnections);
  token = "late";
  const answer = (res: ServerResponse): unknown => res.end("1");
  responses.splice(0).forEach(answer);
  await expect.poll(() => responses.length).toBe(1);
  responses.forEach(answer);
  await Promise.allSettled(calls);
  await connection.close();

  expect(authorizations.at(-1)).toBe("Bearer late");
});
