import { Reply, param, query, type Api, type Call, type Exchange, type Need } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { Refusal, refused } from "../errors.ts";
import type { Publisher } from "../pubsub/publisher.ts";
import { policyMethods } from "../iam/methods.ts";
import { projectResource } from "../iam/resources.ts";
import { methodsOf, onProject, type ResourceKind } from "../methods.ts";
import { Resources } from "../resources.ts";
import { bytesOf, writeAnswer } from "../server.ts";
import {
  Objects,
  check,
  etagOf,
  unmet,
  type Bucket,
  type BucketSettings,
  type Notification,
  type ObjectMetadata,
  type Preconditions,
  type StoredObject,
  type Write,
} from "./buckets.ts";
import { contentReply } from "./content.ts";
import { listObjects } from "./list.ts";
import { multipartParts, ResumableUploads } from "./uploads.ts";
import { bucketResource, objectResource, XmlApi } from "./xml.ts";

/** Cloud Storage: buckets, objects and their generations, uploads, signed URLs, notifications. */
export class Storage {
  readonly api: Api;
  readonly #cloud: Cloud;
  readonly #publisher: Publisher;
  readonly #uploads: ResumableUploads;
  readonly #xml: XmlApi;
  readonly #buckets: Resources<Bucket>;
  readonly #objects: Objects;

  constructor(cloud: Cloud, publisher: Publisher) {
    this.#cloud = cloud;
    this.#publisher = publisher;
    this.#buckets = this.#kept(cloud);
    this.#objects = new Objects(cloud.clock, this.#buckets);
    this.#uploads = new ResumableUploads(this.#put);
    this.#xml = new XmlApi(cloud, { buckets: this.#buckets, objects: this.#objects, put: this.#put });
    this.api = {
      host: "storage.googleapis.com",
      errors: "errors",
      denied: (caller, { permission, resource }) =>
        `${caller} does not have ${permission} access to the Google Cloud Storage ${resource.includes("/objects/") ? "object" : "bucket"}. Permission '${permission}' denied on resource (or it may not exist).`,
      methods: { ...this.#bucketMethods(), ...this.#objectMethods(), ...this.#notificationMethods() },
      other: (exchange) => this.#other(exchange),
    };
  }

  #kept({ clock }: Cloud): Resources<Bucket> {
    return new Resources<Bucket>({
      ...bucketKind,
      in: onProject(this.#cloud),
      items: "items",
      newName: (call) => {
        const { name = "" } = call.body as { name?: string };
        if (/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(name)) return name;
        throw refused(400, `Invalid bucket name: '${name}'`, "invalid");
      },
      missing: () => refused(404, "The specified bucket does not exist.", "notFound"),
      exists: () =>
        refused(409, "Your previous request to create the named bucket succeeded and you already own it.", "conflict"),
      make: ({ body }, name) => {
        const { name: _, ...settings } = body as BucketSettings & { name?: string };
        const created = clock.now();
        return { name, created, settings, metageneration: 1, objects: new Map(), notifications: new Map() };
      },
      change: (bucket, change, call) => {
        const wanted = query(call, "ifMetagenerationMatch");
        if (wanted !== undefined && wanted !== String(bucket.metageneration)) throw unmet();
        const { metageneration, settings } = bucket;
        return Object.assign(bucket, { settings: { ...settings, ...change }, metageneration: metageneration + 1 });
      },
      remove: ({ objects }) => {
        // Noncurrent versions also count.
        if ([...objects.values()].some(({ length }) => length > 0))
          throw refused(409, "The bucket you tried to delete is not empty.", "conflict");
        return new Reply(204);
      },
      json: (bucket) => this.#bucketJson(bucket),
    });
  }

  #bucketMethods(): Api["methods"] {
    return {
      ...this.#buckets.methods({
        list: {
          on: onProject(this.#cloud),
          run: () => ({
            kind: "storage#buckets",
            items: [...this.#buckets.values()].map((bucket) => this.#bucketJson(bucket)),
          }),
        },
      }),
      ...policyMethods(this.#cloud, { ...bucketKind, on: (call) => bucketResource(this.#buckets.of(call).name) }, true),
      "storage.projects.serviceAccount.get": {
        needs: () => [{ permission: "resourcemanager.projects.get", resource: projectResource(this.#cloud) }],
        run: () => {
          const agent = this.#cloud.agent("gs-project-accounts");
          this.#cloud.agents.add(agent);
          return { kind: "storage#serviceAccount", email_address: agent };
        },
      },
    };
  }

  #objectMethods(): Api["methods"] {
    const kind: ResourceKind = {
      methods: "storage.objects",
      permissions: "storage.objects",
      on: (call) => objectResource(param(call, "bucket"), param(call, "object")),
    };
    return {
      ...methodsOf(kind, {
        get: (call) => {
          const object = this.#object(call);
          check(object, conditionsOf(call), true);
          if (call.alt !== "media") return this.#objectJson(object);
          const { range, "accept-encoding": acceptEncoding } = call.headers;
          return contentReply(object, { range, acceptEncoding, etag: "json" });
        },
        list: {
          on: onBucket,
          run: (call) => listObjects(call, this.#buckets.of(call), (object) => this.#objectJson(object)),
        },
        delete: (call) => {
          const { bucket, name } = { bucket: param(call, "bucket"), name: param(call, "object") };
          this.#objects.delete(bucket, name, conditionsOf(call), query(call, "generation"));
          return new Reply(204);
        },
      }),
      "storage.objects.insert": {
        needs: (call) => this.#writeNeeds(param(call, "bucket"), query(call, "name") ?? ""),
        run: (call) => this.#insert(call),
      },
    };
  }

  #notificationMethods(): Api["methods"] {
    const kind: ResourceKind = { methods: "storage.notifications", permissions: "storage.buckets", on: onBucket };
    return methodsOf(kind, {
      insert: {
        permission: "update",
        run: (call) => {
          const bucket = this.#buckets.of(call);
          const body = call.body as Omit<Notification, "id">;
          if (!/^\/\/pubsub\.googleapis\.com\/projects\/[^/]+\/topics\/[^/]+$/.test(body.topic ?? "")) {
            throw refused(
              400,
              `Invalid Google Cloud Pub/Sub topic. It should look like '//pubsub.googleapis.com/projects/*/topics/*'`,
              "invalid",
            );
          }
          const agent = this.#cloud.agent("gs-project-accounts");
          if (!this.#cloud.may(agent, "pubsub.topics.publish", body.topic)) {
            throw refused(
              403,
              `The service account '${agent}' does not have permission to publish messages to to the Cloud Pub/Sub topic '${body.topic}', or that topic does not exist.`,
              "forbidden",
            );
          }
          const id = String(bucket.notifications.size + 1);
          const notification = { ...body, id };
          bucket.notifications.set(id, notification);
          return notificationJson(bucket, notification);
        },
      },
      list: {
        permission: "get",
        run: (call) => {
          const bucket = this.#buckets.of(call);
          return {
            kind: "storage#notifications",
            items: [...bucket.notifications.values()].map((one) => notificationJson(bucket, one)),
          };
        },
      },
      delete: {
        permission: "update",
        run: (call) => {
          if (!this.#buckets.of(call).notifications.delete(param(call, "notification")))
            throw refused(404, "Notification config not found.", "notFound");
          return new Reply(204);
        },
      },
    });
  }

  /** Handles requests outside the described methods: parts of an upload, and objects by path; false for others. */
  async #other(exchange: Exchange): Promise<boolean> {
    const { request, path, search } = exchange;
    const upload = search.get("upload_id");
    if (path.startsWith("/upload/storage/v1/") && upload !== null && ["PUT", "DELETE"].includes(request.method ?? "")) {
      const result = await this.#uploads.continue(upload, request);
      writeAnswer(exchange.response, result instanceof Reply ? result : this.#objectJson(result));
      return true;
    }
    if (/^\/(?:storage|upload|resumable|batch)\//.test(path) || !/^\/[^/]+/.test(path)) return false;
    await this.#xml.answer(exchange);
    return true;
  }

  async #insert(call: Call): Promise<unknown> {
    const bucket = this.#buckets.of(call).name;
    const conditions = conditionsOf(call);
    const body = await bytesOf(call.request);
    if (call.uploadType === "resumable") {
      const { name, ...resource } = this.#resourceOf(call, body.length === 0 ? {} : JSON.parse(body.toString()));
      const uploadType = call.headers["x-upload-content-type"];
      const metadata = metadataOf({ ...(typeof uploadType === "string" && { contentType: uploadType }), ...resource });
      check(this.#objects.find(bucket, name), conditions);
      const id = this.#uploads.begin({ bucket, name, metadata, conditions });
      const location = `${call.origin}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&name=${encodeURIComponent(name)}&upload_id=${id}`;
      return new Reply(200, { location, "x-guploader-uploadid": id, "content-length": "0" });
    }
    const contentType = call.headers["content-type"] ?? "";
    if (call.uploadType === "multipart") {
      const { resource: described, type, content } = multipartParts(contentType, body);
      const { name, ...resource } = this.#resourceOf(call, described);
      this.#allow(call, bucket, name);
      const metadata = metadataOf({ contentType: type, ...resource });
      return this.#objectJson(this.#put({ bucket, name, content, metadata, conditions }));
    }
    const name = query(call, "name");
    if (call.uploadType !== "media") throw refused(400, "Required parameter: uploadType", "required");
    if (!name) throw refused(400, "Required parameter: name", "required");
    return this.#objectJson(
      this.#put({ bucket, name, content: body, metadata: metadataOf({ contentType }), conditions }),
    );
  }

  /** Returns the uploaded object's metadata, with the name from the query or the metadata. */
  #resourceOf(call: Call, resource: ObjectMetadata & { readonly name?: string }): ObjectMetadata & { name: string } {
    call.validate(resource);
    return { ...resource, name: query(call, "name") ?? resource.name ?? "" };
  }

  #writeNeeds(bucket: string, name: string): Need[] {
    const resource = objectResource(bucket, name);
    const exists = this.#buckets.has(bucket) && this.#objects.find(bucket, name);
    // Replacing an object also deletes the previous one.
    return ["storage.objects.create", ...(exists ? ["storage.objects.delete"] : [])].map((permission) => ({
      permission,
      resource,
    }));
  }

  /** Refuses a caller that may not write an object whose name is in the body. */
  #allow({ caller }: Call, bucket: string, name: string): void {
    if (caller === "owner") return;
    for (const needed of this.#writeNeeds(bucket, name)) {
      if (this.#cloud.may(caller, needed.permission, needed.resource)) continue;
      throw new Refusal("PERMISSION_DENIED", this.api.denied?.(caller, needed) ?? "");
    }
  }

  #object(call: Call): StoredObject {
    return this.#objects.get(param(call, "bucket"), param(call, "object"), query(call, "generation"));
  }

  /** Writes an object and sends its notifications. */
  readonly #put = (write: Write): StoredObject => {
    const { bucket, name } = write;
    const before = this.#objects.find(bucket, name);
    const object = this.#objects.put(write);
    for (const notification of this.#buckets.byName(bucket).notifications.values()) {
      if (notification.event_types && !notification.event_types.includes("OBJECT_FINALIZE")) continue;
      if (!name.startsWith(notification.object_name_prefix ?? "")) continue;
      this.#publisher.publishAs(
        this.#cloud.agent("gs-project-accounts"),
        notification.topic.replace("//pubsub.googleapis.com/", ""),
        {
          data: Buffer.from(JSON.stringify(this.#objectJson(object))).toString("base64"),
          attributes: {
            bucketId: bucket,
            objectId: name,
            objectGeneration: String(object.generation),
            eventType: "OBJECT_FINALIZE",
            eventTime: this.#cloud.clock.timestamp(),
            payloadFormat: notification.payload_format,
            notificationConfig: `projects/_/buckets/${bucket}/notificationConfigs/${notification.id}`,
            ...(before && { overwroteGeneration: String(before.generation) }),
            ...notification.custom_attributes,
          },
        },
      );
    }
    return object;
  };

  #bucketJson({ name, created, settings, metageneration }: Bucket): unknown {
    return {
      kind: "storage#bucket",
      id: name,
      name,
      selfLink: `https://www.googleapis.com/storage/v1/b/${name}`,
      projectNumber: this.#cloud.project.number,
      location: "US",
      storageClass: "STANDARD",
      ...settings,
      metageneration: String(metageneration),
      etag: etagOf({ generation: BigInt(created), metageneration }),
      timeCreated: this.#cloud.clock.timestamp(created),
      updated: this.#cloud.clock.timestamp(created),
    };
  }

  #objectJson(object: StoredObject): unknown {
    const { bucket, name, generation, metageneration, content, metadata } = object;
    const path = `storage/v1/b/${bucket}/o/${encodeURIComponent(name)}`;
    const at = (time: number): string => this.#cloud.clock.timestamp(time);
    return {
      kind: "storage#object",
      id: `${bucket}/${name}/${generation}`,
      selfLink: `https://www.googleapis.com/${path}`,
      mediaLink: `https://storage.googleapis.com/download/${path}?generation=${generation}&alt=media`,
      name,
      bucket,
      generation: String(generation),
      metageneration: String(metageneration),
      storageClass: "STANDARD",
      size: String(content.length),
      md5Hash: object.md5.toString("base64"),
      crc32c: object.crc32c,
      etag: etagOf(object),
      ...metadata,
      timeCreated: at(object.created),
      updated: at(object.created),
      timeStorageClassUpdated: at(object.created),
      ...(object.deleted !== undefined && { timeDeleted: at(object.deleted) }),
    };
  }
}

const bucketKind: ResourceKind = { methods: "storage.buckets", permissions: "storage.buckets", on: onBucket };

function onBucket(call: Call): string {
  return bucketResource(param(call, "bucket"));
}

function notificationJson(bucket: Bucket, notification: Notification): unknown {
  return {
    kind: "storage#notification",
    selfLink: `https://www.googleapis.com/storage/v1/b/${bucket.name}/notificationConfigs/${notification.id}`,
    etag: notification.id,
    ...notification,
  };
}

function conditionsOf(call: Call): Preconditions {
  const names = [
    "ifGenerationMatch",
    "ifGenerationNotMatch",
    "ifMetagenerationMatch",
    "ifMetagenerationNotMatch",
  ] as const;
  return Object.fromEntries(names.map((name) => [name, query(call, name)]).filter(([, value]) => value !== undefined));
}

/** Returns the fields that a writer may set. */
function metadataOf(resource: ObjectMetadata): ObjectMetadata {
  const names = [
    "contentType",
    "contentEncoding",
    "contentDisposition",
    "contentLanguage",
    "cacheControl",
    "metadata",
  ] as const;
  return Object.fromEntries(
    names.map((name) => [name, resource[name]]).filter(([, value]) => value !== undefined && value !== ""),
  );
}
