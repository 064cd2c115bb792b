/// <reference types="node" preserve="true" />
export {
  Alert,
  absent,
  percentile,
  rate,
  ratio,
  type AlertConfig,
  type AlertDeclaration,
  type Condition,
  type Measure,
  type RequestLabels,
  type StatusClass,
} from "./alert.ts";
export { API } from "./api.ts";
export {
  Auth,
  type AuthConfig,
  type AccountMail,
  type AuthDeclaration,
  type NewUser,
  type UserList,
  type UserPage,
  type Users,
} from "./auth.ts";
export {
  Authenticator,
  type Authenticated,
  type AuthenticatorDeclaration,
  type AuthenticatorHandler,
} from "./authenticator.ts";
export type {
  Body,
  Cookie,
  Form,
  Header,
  ID,
  Index,
  Indexable,
  Int,
  Int64,
  Json,
  Path,
  Query,
  Ref,
  Search,
  Transient,
  Unique,
  Email,
  Max,
  MaxItems,
  MaxLength,
  Min,
  MinItems,
  MinLength,
  Pattern,
  Url,
} from "./binding.ts";
export { blob, type Blob, type BlobOptions } from "./blob.ts";
export type { ByteSize } from "./byte-size.ts";
export { Bucket, type BucketDeclaration, type ObjectInfo, type PutPolicy, type SignedURL } from "./bucket.ts";
export { checked, type SchemaInput, type SchemaOutput, type StandardSchema } from "./checked.ts";
export { Channel, type ChannelDeclaration, type ChannelTarget } from "./channel.ts";
export type { Client, Context, HTMX, Logger } from "./context.ts";
export { Cron, type CronConfig, type CronDeclaration } from "./cron.ts";
export type { DeadLetter, DeliveryInfo, MessageHandler, QueueDelivery, TopicDelivery } from "./delivery.ts";
export type { Duration } from "./duration.ts";
export type { EndpointDeclaration, Handler } from "./endpoint.ts";
export { ErrorShape, type ErrorAnswer, type ErrorShapeDeclaration } from "./error-shape.ts";
export {
  Entity,
  transaction,
  type EntityDeclaration,
  type New,
  type Stored,
  type WithRefs,
  type Written,
} from "./entity.ts";
export type { EntityPage, EntityQuery, Operator } from "./entity-query.ts";
export {
  Deny,
  Errorf,
  Invalid,
  NotFound,
  isDenied,
  isEmailTaken,
  isNotFound,
  isTaken,
  type StatusError,
} from "./errors.ts";
export type { EventSource } from "./event.ts";
export {
  event,
  events,
  type EventData,
  type EventOptions,
  type Events,
  type EventsOptions,
  type ServerEvent,
} from "./events.ts";
export { Feed, type FeedDeclaration, type FeedEvent, type FeedOptions } from "./feed.ts";
export type { HTML } from "./html.ts";
export {
  Job,
  type CancelOptions,
  type HistorySetting,
  type JobDeclaration,
  type JobRun,
  type RecordedJob,
  type RunListOptions,
} from "./job.ts";
export {
  Mail,
  type MailAddress,
  type MailConfig,
  type MailContent,
  type MailDeclaration,
  type MailMessage,
  type MailOptions,
} from "./mail.ts";
export { Limit, type LimitDeclaration, type LimitRate } from "./limit.ts";
export { MCP, type MCPConfig } from "./mcp.ts";
export { Counter, Histogram, type CounterDeclaration, type HistogramDeclaration } from "./metric.ts";
export { Mount, type MountConfig, type MountDeclaration, type MountHandler } from "./mount.ts";
export { Page, type FormInput, type FormProblems, type PageConfig, type PageResult } from "./page.ts";
export { Policy, RequireMember, RequireRole, type PolicyDeclaration, type Verdict } from "./policy.ts";
export { Queue, type QueueDeclaration, type SendOptions } from "./queue.ts";
export type { Raw } from "./raw.ts";
export { Redirect, RedirectPermanent, type Redirection } from "./redirect.ts";
export { Role, type RoleDeclaration } from "./role.ts";
export { reply, type CookieSetting, type Reply, type ReplyOptions, type ReplyStatus } from "./reply.ts";
export type { RouteConfig } from "./route-config.ts";
export type { PathParams } from "./route-rules.ts";
export type { RecordedRun, Run } from "./run.ts";
export { Runner, type RunnerConfig, type RunnerDeclaration } from "./runner.ts";
export type { Footprint, Instances, Scaling, Traffic } from "./scaling.ts";
export { Secret, type SecretDeclaration } from "./secret.ts";
export { Seed, type SeedDeclaration } from "./seed.ts";
export { Service, type ServiceConfig, type ServiceDeclaration } from "./service.ts";
export { Socket, type Connection, type SocketConfig, type SocketDeclaration, type SocketHandler } from "./socket.ts";
export { Singleton, type SingletonConfig, type SingletonDeclaration } from "./singleton.ts";
export { Site, flash, type RenderOptions, type SiteConfig, type SiteDeclaration } from "./site.ts";
export { StatusPage, type Status, type StatusPageDeclaration } from "./status.ts";
export { Subscribe, type SubscribeDeclaration } from "./subscribe.ts";
export type { AccessToken, CreatedToken, NewToken, Tokens } from "./token.ts";
export { Tenant, type Tenancy, type TenantDeclaration, type TenantSetting } from "./tenant.ts";
export { Topic, type TopicDeclaration } from "./topic.ts";
export type { User } from "./user.ts";
export { Worker, type WorkerDeclaration } from "./worker.ts";
