import type { SocketMessages } from "../model/app.ts";
import type { TypeTable } from "../model/schema.ts";
import { decodeFunction, type Decoders } from "./decoders.ts";
import type { Encoder } from "./encoder.ts";
import { holds } from "./reach.ts";

/** How the messages of a socket are read and written (`MessageCodec` of the runtime); `i` keeps the names of a module apart. */
export function socketCodec(
  { received, sent }: SocketMessages,
  i: number,
  { decoders, encoders, types }: { readonly decoders: Decoders; readonly encoders: Encoder; readonly types: TypeTable },
): { readonly function: string; readonly text: string } {
  const exact = holds(received, "int64", types);
  const decoder = (exact ? decoders.exact : decoders.plain).decoder(received);
  const encode = encoders.encoder(sent);
  const members = [
    `decode: message${i}`,
    `exactIntegers: ${exact}`,
    ...(encode === undefined ? [] : [`encode: ${encode}`]),
  ];
  return { function: decodeFunction(`message${i}`, decoder), text: `{ ${members.join(", ")} }` };
}
