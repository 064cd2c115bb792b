import type { Bucket } from "../../model/bucket.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import { readTenancy, separatedModel, type ParsedSeparation } from "./tenant.ts";

export interface ParsedBucket extends ParsedNamed<"bucket">, ParsedSeparation {}

export const bucket: DeclarationReader<ParsedBucket, Bucket> = {
  read: (source) => ({ ...nameOnly.read(source), ...readTenancy(source, 1) }),
  model(parsed, service) {
    const model = nameOnly.model(parsed, service);
    return model && { ...model, ...separatedModel(parsed.config.settings.tenant) };
  },
};
