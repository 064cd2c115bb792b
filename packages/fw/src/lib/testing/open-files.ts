import { readdirSync, readlinkSync } from "node:fs";

/** Lists the files that a process has open and whose path contains `text`, once per descriptor. */
export function openFiles(text: string, pid: number | "self" = "self"): readonly string[] {
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // The descriptor that listed the directory is already closed.
      return "";
    }
  });
  return targets.filter((target) => target.includes(text));
}
