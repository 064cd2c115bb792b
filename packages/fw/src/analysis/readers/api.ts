import type { Reader } from "./reader.ts";
import { readEndpoint } from "./endpoint.ts";

export const readApi: Reader = (source, call, declaration) => readEndpoint("api", source, call, declaration);
