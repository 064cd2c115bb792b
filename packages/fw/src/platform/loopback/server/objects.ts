import { Malformed } from "./args.ts";
import type { Args } from "./args.ts";
import { Download, operation } from "./operation.ts";
import type { Operation } from "./operation.ts";
import type { Ask } from "../../grants.ts";

export const objects: Readonly<Record<string, Operation>> = {
  "objects/open": operation(
    (args) => ({ ...placeOf(args), forget: args.texts("forget") }),
    ({ bucket }) => asked(bucket, "open"),
    async ({ bucket, key, forget }, { platform, peer }) => {
      for (const handle of forget) peer.forgetObject(handle);
      const object = await platform.objects.open(bucket, key);
      if (object === undefined) return undefined;
      const { size, contentType, updated, etag } = object;
      return { facts: { key: object.key, size, contentType, updated, etag }, handle: peer.keepObject(object) };
    },
  ),
  "objects/read": operation(
    (args) => ({
      handle: args.text("handle"),
      range: args.optional("range", (each) => rangeOf(args.args(each))),
    }),
    () => [],
    async ({ handle, range }, { peer }) => {
      const object = peer.object(handle);
      const { start, end } = range ?? { start: 0, end: object.size };
      if (end > object.size) throw new Malformed("the range ends after the object");
      return new Download(end - start, object.stream({ start, end }));
    },
  ),
  "objects/find": operation(
    placeOf,
    ({ bucket }) => asked(bucket, "find"),
    ({ bucket, key }, { platform }) => platform.objects.find(bucket, key),
  ),
  "objects/put": operation(
    (args) => ({
      ...placeOf(args),
      options: { contentType: args.text("contentType"), ...args.present("maxSize", (each) => args.number(each)) },
    }),
    ({ bucket }) => asked(bucket, "put"),
    ({ bucket, key, options }, { platform, body }) => platform.objects.put(bucket, key, body(), options),
  ),
  "objects/delete": operation(
    placeOf,
    ({ bucket }) => asked(bucket, "delete"),
    ({ bucket, key }, { platform }) => platform.objects.delete(bucket, key),
  ),
  "objects/list": operation(
    (args) => ({
      bucket: args.text("bucket"),
      prefix: args.text("prefix"),
      options: { limit: args.number("limit"), ...args.present("after", (each) => args.text(each)) },
    }),
    ({ bucket }) => asked(bucket, "list"),
    ({ bucket, prefix, options }, { platform }) => platform.objects.list(bucket, prefix, options),
  ),
  "objects/sign": operation(
    (args) => ({
      ...placeOf(args),
      method: args.oneOf("method", ["GET", "PUT"]),
      expires: args.date("expires"),
      ...args.present("maxSize", (each) => args.number(each)),
      ...args.present("contentType", (each) => args.text(each)),
    }),
    ({ bucket, method }) => asked(bucket, `sign ${method}`),
    (grant, { platform }) => platform.objects.sign(grant),
  ),
  // The token is itself what allows it.
  "objects/openGrant": operation(
    (args) => args.text("token"),
    () => [],
    async (token, { platform }) => platform.objects.openGrant?.(token),
  ),
};

function placeOf(args: Args): { readonly bucket: string; readonly key: string } {
  return { bucket: args.text("bucket"), key: args.text("key") };
}

function rangeOf(args: Args): { readonly start: number; readonly end: number } {
  const [start, end] = [args.number("start"), args.number("end")];
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end < start)
    throw new Malformed("a range is two whole numbers, the smaller one first");
  return { start, end };
}

function asked(bucket: string, asks: string): readonly Ask[] {
  return [{ kind: "bucket", name: bucket, asks }];
}
