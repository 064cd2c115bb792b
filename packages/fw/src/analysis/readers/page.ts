import type { Reader } from "./reader.ts";
import { readEndpoint } from "./endpoint.ts";

export const readPage: Reader = (source, call, declaration) => readEndpoint("page", source, call, declaration);
