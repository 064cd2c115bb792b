import { afterAll, beforeAll, describe } from "vitest";
import { conformance } from "../testing/conformance.ts";
import { emptyPlatform } from "./testing/platform.ts";
import { startPooler } from "./testing/pooler.ts";
import { hasPostgres, startServer, type TestServer } from "./testing/server.ts";

const isAsked = process.env["FW_POOLER"] !== undefined;

describe("through PgBouncer in transaction mode, with FW_POOLER=1", { skip: !isAsked || !hasPostgres() }, () => {
  let server: TestServer;
  let pooler: Awaited<ReturnType<typeof startPooler>>;
  beforeAll(async () => {
    server = await startServer();
    pooler = await startPooler(server);
  });
  afterAll(() => {
    pooler.stop();
    server.stop();
  });

  conformance("the platform on PostgreSQL", (definitions, clock) => emptyPlatform(pooler, definitions, clock), {
    histories: 5,
    documents: 50,
    contenders: 50,
    waits: true,
    notifies: false,
    redefines: true,
    versions: true,
  });
});
