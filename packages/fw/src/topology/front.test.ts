import { request } from "node:http";
import { expect, test } from "vitest";
import { openFront } from "./front.ts";

test("the one port before all services refuses names of other sites, and says what to type", async () => {
  const isOwnHost = (header: string | undefined): boolean => header === "localhost";
  const front = await openFront({
    port: 0,
    host: "127.0.0.1",
    isOwnHost,
    destinationOf: () => ({ status: 404, message: "asked" }),
    processOf: () => undefined,
  });
  try {
    expect(await ask(front.port, "evil.example")).toEqual([
      403,
      "the dev server answers to local names only; start it with --allowed-host evil.example to have it answer to that one",
    ]);
    expect(await ask(front.port, "localhost")).toEqual([404, "asked"]);
  } finally {
    await front.close();
  }
});

test("a refusal of the one port before all services is nosniff, as those of the services are", async () => {
  const front = await openFront({
    port: 0,
    host: "127.0.0.1",
    isOwnHost: () => true,
    destinationOf: () => ({ status: 403, message: "asked" }),
    processOf: () => undefined,
  });
  try {
    const answer = await fetch(`http://127.0.0.1:${front.port}/orders`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    expect(await answer.json()).toEqual({ error: "asked" });
  } finally {
    await front.close();
  }
});

function ask(port: number, host: string): Promise<[status: number | undefined, error: string]> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path: "/orders", headers: { host }, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => resolve([answer.statusCode, (JSON.parse(text) as { error: string }).error]));
    });
    sent.on("error", reject).end();
  });
}
