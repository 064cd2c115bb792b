import { readdirSync, readlinkSync } from "node:fs";
import { readText } from "./read-file.ts";

/**
 * Returns the process that listens on a TCP port of this machine; undefined if it cannot be determined. Works only on
 * Linux.
 */
export function portOwner(port: number): { readonly pid: number; readonly command: string } | undefined {
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return undefined;
  for (const pid of list("/proc").filter((name) => /^\d+$/.test(name))) {
    if (!holds(pid, inodes)) continue;
    return { pid: Number(pid), command: commandOf(pid) };
  }
  return undefined;
}

function listeningInodes(port: number): Set<string> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => (readText(file) ?? "").split("\n"));
  const fields = rows.map((row) => row.trim().split(/\s+/));
  // Field 1 is the local address, field 3 the state (0A: listening), field 9 the socket's inode.
  return new Set(fields.filter((f) => f[1]?.endsWith(`:${hex}`) && f[3] === "0A").map((f) => f[9] ?? ""));
}

function holds(pid: string, inodes: ReadonlySet<string>): boolean {
  return list(`/proc/${pid}/fd`).some((fd) => {
    const inode = /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1];
    return inode !== undefined && inodes.has(inode);
  });
}

function commandOf(pid: string): string {
  const words = (readText(`/proc/${pid}/cmdline`) ?? "").split("\0").filter((word) => word !== "");
  return words.join(" ").slice(0, 120);
}

// Processes may end at any time, and other users' processes cannot be inspected.
function list(path: string): string[] {
  return attempt(() => readdirSync(path), []);
}

function link(path: string): string {
  return attempt(() => readlinkSync(path), "");
}

function attempt<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
