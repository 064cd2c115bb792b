import type { Command } from "../command.ts";
import { backup } from "./backup.ts";
import { build } from "./build.ts";
import { check } from "./check.ts";
import { checkData } from "./check-data.ts";
import { dataExport } from "./data-export.ts";
import { dataImport } from "./data-import.ts";
import { deploy } from "./deploy.ts";
import { destroy } from "./destroy.ts";
import { dev } from "./dev.ts";
import { docs } from "./docs.ts";
import { genClientTs } from "./gen-client-ts.ts";
import { genOpenapi } from "./gen-openapi.ts";
import { genGraph } from "./gen-graph.ts";
import { genTerraform } from "./gen-terraform.ts";
import { logs } from "./logs.ts";
import { lsp } from "./lsp.ts";
import { newApplication } from "./new.ts";
import { restore } from "./restore.ts";
import { serve } from "./serve.ts";
import { status } from "./status.ts";
import { test } from "./test.ts";
import { usersCreate } from "./users-create.ts";
import { usersDelete } from "./users-delete.ts";
import { usersDisable } from "./users-disable.ts";
import { usersEnable } from "./users-enable.ts";
import { usersGrant } from "./users-grant.ts";
import { usersList } from "./users-list.ts";
import { usersRevoke } from "./users-revoke.ts";
import { usersSessions } from "./users-sessions.ts";
import { usersSignOut } from "./users-sign-out.ts";
import { usersShow } from "./users-show.ts";
import { usersTokens } from "./users-tokens.ts";
import { deadDrop } from "./dead-drop.ts";
import { deadList } from "./dead-list.ts";
import { deadReplay } from "./dead-replay.ts";
import { runCron } from "./run-cron.ts";
import { runJob } from "./run-job.ts";

/** Every command, in the order that help lists them. */
export const commands: readonly Command[] = [
  newApplication,
  dev,
  check,
  build,
  serve,
  backup,
  restore,
  dataExport,
  dataImport,
  test,
  deploy,
  status,
  destroy,
  genClientTs,
  genOpenapi,
  genGraph,
  genTerraform,
  logs,
  lsp,
  usersList,
  usersShow,
  usersCreate,
  usersGrant,
  usersRevoke,
  usersDisable,
  usersEnable,
  usersDelete,
  usersSessions,
  usersSignOut,
  usersTokens,
  runCron,
  runJob,
  deadList,
  deadReplay,
  deadDrop,
  checkData,
  docs,
];
