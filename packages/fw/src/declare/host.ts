import type { NewUser, UserPage } from "./auth.ts";
import type { Blob } from "./blob.ts";
import type { BucketDeclaration, ObjectInfo, PutPolicy, SignedURL } from "./bucket.ts";
import type { EndpointDeclaration } from "./endpoint.ts";
import type { EntityDeclaration } from "./entity.ts";
import type { EntityPage, QueryPlan } from "./entity-query.ts";
import type { HTML } from "./html.ts";
import type { JobDeclaration } from "./job.ts";
import type { CounterDeclaration, HistogramDeclaration } from "./metric.ts";
import type { QueueDeclaration, SendOptions } from "./queue.ts";
import type { RoleDeclaration } from "./role.ts";
import type { SiteDeclaration } from "./site.ts";
import type { Context } from "./context.ts";
import type { TopicDeclaration } from "./topic.ts";
import type { User } from "./user.ts";

/** The slot of a Context through which declarations reach the runtime. */
export const HOST: unique symbol = Symbol.for("fw.host");

/** What the runtime offers to declarations; one implementation, in `runtime/host.ts`. */
export interface Host {
  call(ctx: Context, endpoint: EndpointDeclaration, request: unknown): Promise<unknown>;
  render(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
  fragment(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
  markdown(ctx: Context, site: SiteDeclaration, text: string): HTML;
  readonly entities: EntityOperations;
  readonly users: UserOperations;
  readonly buckets: BucketOperations;
  readonly messages: MessageOperations;
  readonly metrics: MetricOperations;
}

/** What account management asks of the runtime. */
export interface UserOperations {
  create(ctx: Context, user: NewUser): Promise<User>;
  get(ctx: Context, id: string): Promise<User>;
  byEmail(ctx: Context, email: string): Promise<User>;
  /** "" is the first page's cursor. */
  page(ctx: Context, limit: number, cursor: string): Promise<UserPage>;
  grant(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
  revoke(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
  disable(ctx: Context, id: string): Promise<void>;
  enable(ctx: Context, id: string): Promise<void>;
  delete(ctx: Context, id: string): Promise<void>;
}

/** What a bucket's declaration asks of the runtime. */
export interface BucketOperations {
  get(ctx: Context, bucket: BucketDeclaration, key: string): Promise<Blob>;
  put(ctx: Context, bucket: BucketDeclaration, key: string, content: Blob): Promise<ObjectInfo>;
  delete(ctx: Context, bucket: BucketDeclaration, key: string): Promise<void>;
  exists(ctx: Context, bucket: BucketDeclaration, key: string): Promise<boolean>;
  list(ctx: Context, bucket: BucketDeclaration, prefix: string): AsyncIterable<ObjectInfo>;
  signedPut(
    ctx: Context,
    bucket: BucketDeclaration,
    key: string,
    lifetime: string,
    policy: PutPolicy,
  ): Promise<SignedURL>;
  signedGet(ctx: Context, bucket: BucketDeclaration, key: string, lifetime: string): Promise<SignedURL>;
}

/** What queues, topics and jobs ask of the runtime. Each resolves with an id. */
export interface MessageOperations {
  send(ctx: Context, queue: QueueDeclaration, message: unknown, options: SendOptions): Promise<string>;
  publish(ctx: Context, topic: TopicDeclaration, event: unknown): Promise<string>;
  start(ctx: Context, job: JobDeclaration, args: unknown): Promise<string>;
}

/** What counters and histograms ask of the runtime. Neither throws. */
export interface MetricOperations {
  add(ctx: Context, counter: CounterDeclaration, n: number): void;
  observe(ctx: Context, histogram: HistogramDeclaration, value: number): void;
}

/** What an entity's declaration and its queries ask of the runtime. Documents are copies of the caller's own. */
export interface EntityOperations {
  get(ctx: Context, entity: EntityDeclaration, id: string): Promise<object>;
  find(ctx: Context, entity: EntityDeclaration, id: string): Promise<object | undefined>;
  create(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  put(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  update(ctx: Context, entity: EntityDeclaration, id: string, change: DocumentChange): Promise<object>;
  delete(ctx: Context, entity: EntityDeclaration, id: string): Promise<void>;
  all(ctx: Context, plan: QueryPlan): Promise<object[]>;
  first(ctx: Context, plan: QueryPlan): Promise<object | undefined>;
  count(ctx: Context, plan: QueryPlan): Promise<number>;
  page(ctx: Context, plan: QueryPlan, cursor: string | undefined): Promise<EntityPage<object>>;
  each(ctx: Context, plan: QueryPlan): AsyncIterable<object>;
  transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
}

export type DocumentChange = (document: object) => object | void | Promise<object | void>;
