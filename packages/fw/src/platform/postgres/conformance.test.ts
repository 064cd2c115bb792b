import { afterAll, beforeAll, describe } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { conformance } from "../testing/conformance.ts";
import { emptyPlatform } from "./testing/platform.ts";
import { hasPostgres, startServer, type TestServer } from "./testing/server.ts";

describe("on PostgreSQL", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  conformance("the platform on PostgreSQL", (definitions, clock) => emptyPlatform(server, definitions, clock), {
    histories: tries(5),
    documents: tries(100),
    contenders: tries(100),
    waits: true,
    redefines: true,
    versions: true,
  });
});
