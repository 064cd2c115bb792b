import { isStatusError } from "../../declare/errors.ts";
import type { Endpoint } from "../../model/app.ts";
import type { BoundField } from "../../model/request-shape.ts";
import type { Field, Schema, TypeTable } from "../../model/schema.ts";
import { parseJSON } from "../../runtime/body/json.ts";
import type { BundledEndpoint } from "../../runtime/bundle.ts";
import type { FormFields, RawRequest } from "../../runtime/decode/raw-request.ts";
import { declarationsOf, endpointModule } from "../endpoint-module.ts";
import { evaluate } from "./evaluate.ts";
import { endpoint, field, request } from "./models.ts";

/** Returns the endpoint of a model as a bundle contains it. */
export function bundled(model: Endpoint, types: TypeTable = {}): BundledEndpoint {
  const text = endpointModule([model], types, {});
  const { endpoints } = evaluate(text);
  const declared = declarationsOf([model]).map(() => ({ call: () => undefined }));
  const [made] = (endpoints as (p: number, d: readonly object[]) => BundledEndpoint[])(0, declared);
  if (made === undefined) throw new Error("no endpoint was generated");
  return made;
}

const empty: RawRequest = { params: [], query: "", body: undefined, form: undefined, fields: undefined };

/** Returns the handler's input, or the message of the 400. */
export function outcome(decoder: BundledEndpoint, raw: Partial<RawRequest>): unknown {
  try {
    return decoder.decode({ ...empty, ...raw });
  } catch (error) {
    if (isStatusError(error) && error.status === 400) return error.message;
    throw error;
  }
}

/** Returns a decoder for the query string of a GET with these fields. */
export function queryDecoder(...fields: readonly BoundField[]): (query: string) => unknown {
  const made = bundled(endpoint("GET /x", "x", { request: request({ bound: fields }) }));
  return (query) => outcome(made, { query });
}

/** Returns a decoder for a form with these fields. */
export function formDecoder(
  ...fields: readonly BoundField[]
): (values: Record<string, string[]>, files?: FormFields["files"]) => unknown {
  const made = bundled(endpoint("POST /x", "x", { request: request({ bound: fields, carries: "form" }) }));
  return (values, files = new Map()) => outcome(made, { form: { values: new Map(Object.entries(values)), files } });
}

/** Returns a decoder for the JSON text of a body with these fields. */
export function bodyDecoderOf(fields: readonly Field[], types: TypeTable = {}): (json: string) => unknown {
  const made = bundled(endpoint("POST /x", "x", { request: request({ body: fields }) }), types);
  return (json) => outcome(made, { body: parseJSON(Buffer.from(json), made.exactIntegers) });
}

/** Returns a function that decodes the JSON text of a value of `schema`, as the only field `v` of a body. */
export function valueDecoder(schema: Schema, types: TypeTable = {}): (json: string) => unknown {
  const decode = bodyDecoderOf([field("v", schema)], types);
  return (json) => {
    const result = decode(`{"v":${json}}`);
    return typeof result === "string" ? result : (result as { readonly v: unknown }).v;
  };
}
