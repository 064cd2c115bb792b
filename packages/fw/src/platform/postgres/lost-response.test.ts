import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { transact } from "../transact.ts";
import { bytesOnDisk } from "./objects/bytes.ts";
import { openPostgres } from "./open.ts";
import { runSql } from "./testing/run-sql.ts";
import { hasPostgres, startServer, type TestServer } from "./testing/server.ts";

const queue = { kind: "queue", name: "placed" } as const;

/** The message that commits a transaction of several statements. Read-only transactions end with the same message. */
const commitText = "COMMIT\0";

/** A proxy in front of a server, which can lose a response. */
interface LossyProxy {
  readonly port: number;
  readonly server: Server;
  /** Drops the response to the next request that contains this text, by closing its connection. */
  loseResponse(text: string): void;
  readonly cuts: () => number;
}

async function startProxy(port: number): Promise<LossyProxy> {
  let awaitedText: string | undefined;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let isCut = false;
    let isWriting = false;
    client.on("data", (data) => {
      isWriting = data.includes("READ COMMITTED;") || (isWriting && !data.includes("BEGIN"));
      const isOther = awaitedText === commitText && !isWriting;
      if (!isOther && awaitedText !== undefined && data.includes(awaitedText)) {
        awaitedText = undefined;
        isCut = true;
      }
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (!isCut) {
        client.write(data);
        return;
      }
      cuts += 1;
      client.destroy();
      upstream.destroy();
    });
    client.on("close", () => upstream.destroy()).on("error", () => {});
    upstream.on("close", () => client.destroy()).on("error", () => {});
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    server,
    loseResponse: (text) => void (awaitedText = text),
    cuts: () => cuts,
  };
}

describe("a commit whose response is lost", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  let proxy: LossyProxy;
  beforeAll(async () => {
    server = await startServer();
    proxy = await startProxy(server.port);
  });
  afterAll(() => {
    proxy.server.close();
    server.stop();
  });

  test("is applied once, and its caller gets the result", async () => {
    const kinds = [{ kind: "items", properties: [{ name: "n" }], composites: [] }];
    // Disables prepared statements, so that the proxy can recognize statements by their text.
    const address = `${server.address("cut").replace(String(server.port), String(proxy.port))}&prepare=false`;
    const platform = await openPostgres(address, { kinds }, { bytes: bytesOnDisk(tmpdir()) });
    onTestFinished(() => platform.close());
    const { entities } = platform;
    const ids = Array.from({ length: 10 }, (_, i) => String(i));
    for (const id of ids) {
      proxy.loseResponse("put_planned(");
      // A second attempt would find the document of the first.
      const version = await entities.insert({ kind: "items", id }, { n: 0 });
      expect((await entities.get({ kind: "items", id }))?.version).toBe(version);
    }
    expect(proxy.cuts()).toBe(ids.length);
    for (const id of ids) {
      proxy.loseResponse("write(");
      await platform.messages.send(queue, { body: `"${id}"` });
    }
    const query = { kind: "items", filters: [{ property: "n", op: "==", value: 0 } as const], orders: [], limit: 20 };
    for (const id of ids) {
      proxy.loseResponse(commitText);
      await transact(platform, async (tx) => {
        const { documents } = await tx.query(query);
        tx.update({ kind: "items", id }, { n: documents.length });
        tx.send(queue, { body: `"${id}"` });
      });
    }
    expect(proxy.cuts()).toBe(3 * ids.length);
    const page = await entities.query({ kind: "items", filters: [], orders: [], limit: 20 });
    expect(page.documents.map(({ fields }) => fields["n"])).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const { rows } = await runSql(
      server.address("cut"),
      "SELECT body, count(*)::int AS n FROM cut.messages GROUP BY body",
    );
    expect(rows.map(({ n }) => n)).toEqual(ids.map(() => 2));
  });
});
