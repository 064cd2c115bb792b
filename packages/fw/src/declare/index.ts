/// <reference types="node" preserve="true" />
export { API } from "./api.ts";
export type { Form, ID, Index, Indexable, Int, Int64, Json, Path, Query, Transient } from "./binding.ts";
export { blob, type Blob, type BlobOptions } from "./blob.ts";
export type { Client, Context, Logger } from "./context.ts";
export type { EndpointDeclaration, Handler } from "./endpoint.ts";
export { Entity, transaction, type EntityDeclaration, type New, type Stored, type Written } from "./entity.ts";
export type { EntityPage, EntityQuery, Operator } from "./entity-query.ts";
export { Errorf, NotFound, isNotFound, type StatusError } from "./errors.ts";
export type { HTML } from "./html.ts";
export { Page, type PageResult } from "./page.ts";
export { Redirect, RedirectPermanent, type Redirection } from "./redirect.ts";
export type { Duration, RouteConfig } from "./route-config.ts";
export type { PathParams } from "./route-rules.ts";
export { Service, type ServiceConfig, type ServiceDeclaration } from "./service.ts";
export { Site, type SiteConfig, type SiteDeclaration } from "./site.ts";
export { StatusPage, type Status, type StatusPageDeclaration } from "./status.ts";
