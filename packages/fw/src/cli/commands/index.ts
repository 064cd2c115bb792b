import type { Command } from "../command.ts";
import { build } from "./build.ts";
import { check } from "./check.ts";
import { checkData } from "./check-data.ts";
import { dev } from "./dev.ts";
import { genClientTs } from "./gen-client-ts.ts";
import { genOpenapi } from "./gen-openapi.ts";
import { genGraph } from "./gen-graph.ts";
import { logs } from "./logs.ts";
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
import { deadList } from "./dead-list.ts";
import { deadReplay } from "./dead-replay.ts";
import { runCron } from "./run-cron.ts";
import { runJob } from "./run-job.ts";

/** Every command, in the order that help lists them. */
export const commands: readonly Command[] = [
  dev,
  check,
  build,
  test,
  genClientTs,
  genOpenapi,
  genGraph,
  logs,
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
  runCron,
  runJob,
  deadList,
  deadReplay,
  checkData,
];
