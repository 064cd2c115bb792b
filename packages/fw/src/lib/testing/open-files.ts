import { readdirSync, readlinkSync } from "node:fs";

/** Lists the files that a process has open and whose path contains a text, once for each descriptor. */
export function openFiles(text: string, pid: number | "self" = "self"): readonly string[] {
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // The descriptor that lists the directory is closed by now.
      return "";
    }
  });
  return targets.filter((target) => target.includes(text));
}
