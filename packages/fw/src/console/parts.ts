import type { AlertRule } from "../lib/alert-rule.ts";
import type { ConsoleModel } from "../generate/console-model.ts";
import type { Definitions } from "../platform/contract.ts";
import type { InspectedPlatform } from "../platform/local/open.ts";
import type { Fields } from "../platform/values.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";
import type { ReferringEntity } from "../runtime/entity/reference-rules.ts";
import type { Request } from "../runtime/request.ts";
import type { EventHub } from "./event-hub.ts";
import { BadInput } from "./input.ts";
import type { PreviewedMail, RenderedMail } from "./mail-rendering.ts";
import type { MailCatcher } from "./mail-catcher.ts";
import type { Timeline } from "./timeline/timeline.ts";

export interface ConsoleParts {
  /** The application's directory; "" on a server, which does not have the source. */
  readonly root: string;
  readonly hub: EventHub;
  /** The mails that the application has sent; absent outside development. */
  readonly mails?: MailCatcher;
  /** Renders a mail with data, for its preview; absent outside development. */
  readonly renderMail?: (request: Request, mail: PreviewedMail) => Promise<RenderedMail>;
  /** Adds new events of other processes to the hub. */
  readonly collect?: () => Promise<void>;
  /** Masks the values of secrets in a JSON value. */
  readonly redact: (value: unknown) => unknown;
  /** Returns undefined until the application has been analyzed. */
  readonly model: () => ConsoleModel | undefined;
  /** Resolves with undefined if the application stores no data. */
  readonly platform: () => Promise<InspectedPlatform | undefined>;
  readonly definitions: () => Definitions;
  /** Explains why a document does not fit the type of its entity; undefined if it does. */
  readonly documentProblem: (kind: string, id: string, fields: Fields) => string | undefined;
  /** The entities with their references, whose rules apply to writes. */
  readonly references: () => Iterable<ReferringEntity>;
  readonly metrics: () => Promise<MetricSnapshot> | MetricSnapshot;
  /** The samples of the last two hours. */
  readonly timeline: Timeline;
  readonly alerts: () => { readonly rules: readonly AlertRule[]; readonly firing: readonly string[] };
  /** The state of the server, for its operators; absent in development. */
  readonly server?: () => Promise<object>;
  /** Runs a cron now. Resolves when the run has ended, and rejects if it fails. */
  readonly runCron: (name: string) => Promise<void>;
  /** Starts a job with arguments as JSON; "" for no arguments. */
  readonly startJob: (request: Request, name: string, json: string) => Promise<unknown>;
}

/** Returns the application's data. Throws a BadInput if it stores none. */
export async function data({ platform }: ConsoleParts): Promise<InspectedPlatform> {
  const opened = await platform();
  if (opened === undefined) throw new BadInput("the application stores no data");
  return opened;
}
