import type { AlertRule } from "../lib/alert-rule.ts";
import type { ConsoleModel } from "../generate/console-model.ts";
import type { Definitions } from "../platform/contract.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";
import type { Request } from "../runtime/request.ts";
import type { EventHub } from "./event-hub.ts";
import { WrongUse } from "./given.ts";

/** Where the console has what it shows and does. */
export interface ConsoleParts {
  readonly hub: EventHub;
  /** Brings the hub up to what other processes know. */
  readonly collect?: () => Promise<void>;
  /** Undefined while nothing was analysed. */
  readonly model: () => ConsoleModel | undefined;
  /** Undefined where the application keeps nothing. */
  readonly platform: () => Promise<LocalPlatform | undefined>;
  readonly definitions: () => Definitions;
  readonly counted: () => Promise<MetricSnapshot> | MetricSnapshot;
  readonly alerts: () => { readonly rules: readonly AlertRule[]; readonly firing: readonly string[] };
  /** Runs a cron now, to its end; rejects where it fails. */
  readonly runCron: (name: string) => Promise<void>;
  /** Starts a job with arguments as JSON, "" for none. */
  readonly startJob: (request: Request, name: string, json: string) => Promise<unknown>;
}

/** What the application keeps. */
export async function data({ platform }: ConsoleParts): Promise<LocalPlatform> {
  const opened = await platform();
  if (opened === undefined) throw new WrongUse("the application keeps no data");
  return opened;
}
