import type { Command } from "../command.ts";
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

/** Every command, in the order that help lists them. */
export const commands: readonly Command[] = [
  newApplication,
  dev,
  check,
  build,
  serve,
  ...dataCommands,
  test,
  ...deployCommands,
  ...genCommands,
  logs,
  lsp,
  mcp,
  ...usersCommands,
  ...runCommands,
  ...deadCommands,
  checkData,
  docs,
];
