import { buffer } from "node:stream/consumers";
import type { TarEntry } from "./tar.ts";

/** Thrown for native addons built for a different system than the image's. The message names their packages. */
export class ForeignAddons extends Error {}

/** Throws ForeignAddons if a native addon was not built for the images' system. */
export async function refuseForeignAddons(entries: readonly TarEntry[]): Promise<void> {
  const foreign = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind !== "file" || !entry.path.endsWith(".node")) continue;
    const system = systemOf(await buffer(entry.open()));
    if (system !== "linux-x64") foreign.set(packageOf(entry.path), system);
  }
  if (foreign.size === 0) return;
  const lines = [...foreign].map(
    ([name, system]) =>
      `the package ${name} has a native addon for ${system}, but images run on linux-x64; run npm install --os=linux --cpu=x64 --libc=glibc ${name} and build again`,
  );
  throw new ForeignAddons(lines.join("\n"));
}

/** ELF machine types. */
const machines: Readonly<Record<number, string>> = { 0x03: "ia32", 0x28: "arm", 0x3e: "x64", 0xb7: "arm64" };

function systemOf(file: Buffer): string {
  const magic = file.subarray(0, 4).toString("hex");
  if (magic === "7f454c46" && file.length > 20) {
    // musl is Alpine's C library, which Debian's images do not have.
    const libc = file.includes("libc.musl-") ? "linux-musl" : "linux";
    return `${libc}-${machines[file.readUInt16LE(18)] ?? "another machine"}`;
  }
  if (["cffaedfe", "cafebabe"].includes(magic)) return "macOS";
  return magic.startsWith("4d5a") ? "Windows" : "an unknown system";
}

/** Returns the package that contains a file, or the file's path if it is in none. */
function packageOf(path: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? path.replace(/^[^/]+\//, "");
}
