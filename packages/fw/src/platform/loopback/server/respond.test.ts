import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { ChangeStream } from "./changes.ts";
import { sendResult } from "../server.ts";

test("a caller that has gone before its changes are watched leaves no listener behind", async () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.destroy();
  let isWatched = false;
  void sendResult(response, new ChangeStream(() => void (isWatched = true)));
  expect(isWatched).toBe(false);
});
