import type { Command, CommandGroup } from "../command.ts";
import { build } from "./build.ts";
import { check } from "./check.ts";
import { checkData } from "./check-data.ts";
import { dataCommands } from "./data.ts";
import { deadCommands } from "./dead.ts";
import { deployCommands } from "./deploy.ts";
import { dev } from "./dev.ts";
import { docs } from "./docs.ts";
import { genCommands } from "./gen.ts";
import { logs } from "./logs.ts";
import { lsp } from "./lsp.ts";
import { mcp } from "./mcp.ts";
import { newApplication } from "./new.ts";
import { runCommands } from "./run.ts";
import { serve } from "./serve.ts";
import { test } from "./test.ts";
import { usersCommands } from "./users.ts";

/** Every command, in the order of help. */
export const commandGroups: readonly CommandGroup[] = [
  { title: "Develop", commands: [newApplication, dev, check, test, lsp, mcp, docs] },
  { title: "Generate", commands: genCommands },
  { title: "Run on this machine", commands: [build, serve] },
  { title: "Deploy to Google Cloud", commands: deployCommands },
  { title: "Operate", commands: [logs, ...runCommands, ...deadCommands] },
  { title: "Accounts", commands: usersCommands },
  { title: "Data on this machine", commands: [...dataCommands, checkData] },
];

export const commands: readonly Command[] = commandGroups.flatMap((group) => group.commands);
