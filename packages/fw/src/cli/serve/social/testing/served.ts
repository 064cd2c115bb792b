import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../../platform/contract.ts";
import { openLocal, type LocalPlatform } from "../../../../platform/local/open.ts";
import { authKinds, sessionKind } from "../../../../runtime/auth/kinds.ts";
import { TaggedLogger } from "../../../../runtime/observe/log.ts";
import { connected } from "../../../../topology/client-address.ts";
import { openFront } from "../../../../topology/front.ts";
import { RelayForwarder } from "../../../../topology/relay-forwarder.ts";
import { openSocial } from "../open.ts";
import type { FakeProvider } from "./provider.ts";

export const clientSecret = "a secret of the application";

/** The sign-in endpoints of an application that uses a provider, on an empty store. */
export interface ServedSocial {
  readonly origin: string;
  readonly platform: LocalPlatform;
  readonly sessionCount: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export async function serveSocial({ issuer }: FakeProvider, clock?: Clock): Promise<ServedSocial> {
  const directory = mkdtempSync(join(tmpdir(), "fw-social-"));
  const platform = await openLocal(directory, { kinds: authKinds }, { temporary: true, ...(clock && { clock }) });
  const settings = { issuer: new URL(issuer), clientId: "notes", clientSecret, trustsEmail: false };
  const log = new TaggedLogger(() => {}, {});
  const social = (await openSocial(settings))({ platform, visitorOf: connected, log, isDeclared: () => true });
  const front = await openFront({
    listens: { port: 0, host: "127.0.0.1" },
    log: () => {},
    targetOf: ({ path, exchange }) => {
      const admin = social.endpoints.get(`${exchange.method} ${path.slice("/_fw/".length)}`);
      return admin === undefined ? { status: 404, message: "not found" } : { admin };
    },
    forwarder: new RelayForwarder({ unavailable: () => "", poolOf: () => undefined, tokenFor: () => "" }),
  });
  return {
    origin: `http://127.0.0.1:${front.port}`,
    platform,
    sessionCount: () => platform.entities.count({ kind: sessionKind, filters: [], orders: [] }),
    async close() {
      await front.close();
      await platform.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Returns the first cookie of a response, as a browser sends it back. */
export function cookieOf(response: Response): string {
  return (response.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
}
