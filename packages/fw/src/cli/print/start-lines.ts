import { counted } from "../../lib/counted.ts";
import { visible } from "../../lib/visible.ts";
import { recordStart, type StartChanges, type StartedApp } from "../../workspace/last-start.ts";
import { projectCommands } from "../../workspace/project-commands.ts";
import type { Palette } from "./colour.ts";

/** The maximum number of names on a line. The line only counts further names. */
const maxNames = 3;

/**
 * Returns the lines below a dev server's address: its console, the tests' command, and the changes since the last
 * start.
 */
export function startLines(started: StartedApp, url: string, { dim, cyan }: Palette): readonly string[] {
  const changes = recordStart(started);
  const text = changes && changesText(changes);
  return [
    `  ${dim("console")}  ${cyan(`${url}/_fw/console`)}`,
    `  ${dim("tests")}    ${projectCommands(started.root).test}`,
    ...(text === undefined ? [] : [`  ${dim("changed")}  ${text}`]),
  ];
}

/** Describes the changes since the last start in a line; undefined if nothing changed. */
export function changesText({ age, modules, added, removed }: StartChanges): string | undefined {
  if (modules.length === 0 && added.length === 0 && removed.length === 0) return undefined;
  const parts = [
    modules.length === 0 ? "" : `${counted(modules.length, "module")} (${names(modules)})`,
    added.length === 0 ? "" : `new: ${names(added)}`,
    removed.length === 0 ? "" : `removed: ${names(removed)}`,
  ];
  return `${parts.filter((part) => part !== "").join("; ")}, since the start ${ageText(age)} ago`;
}

function names(all: readonly string[]): string {
  const first = all.slice(0, maxNames).map(visible).join(", ");
  return all.length <= maxNames ? first : `${first} and ${all.length - maxNames} more`;
}

function ageText(age: number): string {
  const minutes = Math.max(1, Math.round(age / 60_000));
  if (minutes < 60) return counted(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return hours < 48 ? counted(hours, "hour") : counted(Math.round(hours / 24), "day");
}
