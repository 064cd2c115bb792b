import type { UserHost } from "./auth.ts";
import type { BucketHost } from "./bucket.ts";
import type { EndpointHost } from "./endpoint.ts";
import type { EntityHost } from "./entity-query.ts";
import type { FeedHost } from "./feed.ts";
import type { JobHost } from "./job.ts";
import type { LimitHost } from "./limit.ts";
import type { MailHost } from "./mail.ts";
import type { MCPHost } from "./mcp.ts";
import type { MetricHost } from "./metric.ts";
import type { QueueHost } from "./queue.ts";
import type { SiteHost } from "./site.ts";
import type { TenantHost } from "./tenant.ts";
import type { TokenHost } from "./token.ts";
import type { TopicHost } from "./topic.ts";

/** The runtime's operations for declarations. Each declaration defines its part; `runtime/host.ts` implements all. */
export type Host = ClockHost &
  EndpointHost &
  SiteHost &
  EntityHost &
  UserHost &
  TokenHost &
  BucketHost &
  QueueHost &
  TopicHost &
  JobHost &
  LimitHost &
  TenantHost &
  FeedHost &
  MailHost &
  MCPHost &
  MetricHost;

/** The part of the Host that implements `ctx.now`. */
interface ClockHost {
  now(): Date;
}
