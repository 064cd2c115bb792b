import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { limitValues as limits } from "../packages/fw/src/lib/testing/documented-limits.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * The values of limits whose own tests import the constant, and so accept any change. Change a number by hand, once
 * that is agreed; `npm run golden` does not touch this file.
 */
const pins: Readonly<Record<string, number>> = {
  accountClaimsBytes: 16_384,
  alertTickMs: 30_000,
  authenticatorMs: 10_000,
  busyMs: 5_000,
  cachedAssetBytes: 16_777_216,
  deliveryConcurrency: 16,
  giveWayMs: 2_000,
  longAnswerMs: 5_000,
  loopbackConnections: 16,
  loopbackKept: 10_000,
  nextCharacters: 2_000,
  passwordDerivations: 2,
  passwordIterations: 220_000,
  passwordsWaiting: 64,
  remoteBytes: 33_554_432,
  remoteMs: 60_000,
  resetLinkMs: 3_600_000,
  signInBytes: 65_536,
  signUpLinkMs: 86_400_000,
  slowStartMs: 5_000,
  socketBufferBytes: 1_048_576,
  socketBurstBytes: 65_536,
  socketCloseMs: 1_000,
  socketConnections: 10_000,
  socketDrainBytesPerSecond: 65_536,
  socketPingMs: 30_000,
  socketQueue: 16,
  socketReasonBytes: 123,
  socketStallMs: 1_000,
  socketsOfUser: 100,
  startMs: 60_000,
  streamsOfAddress: 100,
};

test("a limit whose test imports the constant has its number here", () => {
  expect(selfProvenLimits()).toEqual(Object.keys(pins));
});

test("the numbers of those limits are the ones that were agreed", () => {
  const values = limits as Readonly<Record<string, unknown>>;
  expect(Object.fromEntries(Object.keys(pins).map((name) => [name, values[name]]))).toEqual(pins);
});

/** Returns the limits whose test in docs/spec-map.md imports the number from the code under test. */
function selfProvenLimits(): readonly string[] {
  const rows = read("docs/spec-map.md").matchAll(/^\| `(\w+)` \|.*?\| `([^`]+\.ts)`/gm);
  const imports = /import \{([^}]*)\} from "[^"]*\.ts"/g;
  const names = [...rows].flatMap(([, name = "", path = ""]) => {
    const imported = [...read(path).matchAll(imports)].flatMap(([, list = ""]) => list.match(/\w+/g) ?? []);
    return name in limits && imported.includes(name) ? [name] : [];
  });
  return [...new Set(names)].toSorted();
}

function read(path: string): string {
  return readFileSync(root + path, "utf8");
}
