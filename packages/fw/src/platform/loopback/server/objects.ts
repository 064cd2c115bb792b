import { checked, list, Malformed, object, optional, text } from "../../../lib/codec.ts";
import { Download, serving, type ServedOperation } from "./operation.ts";

const whole = checked<number>("a whole number", (value) => Number.isInteger(value) && (value as number) >= 0);
const range = object<{ readonly start: number; readonly end: number }>({ start: whole, end: whole });

/** Operations on opened objects. The handle, which only its process knows, authorizes them. */
export const objects: Readonly<Record<string, ServedOperation>> = {
  "objects/read": serving({
    args: [text, optional(range)],
    accesses: () => [],
    run: async ([handle, range], { peer }) => {
      const opened = peer.object(handle);
      const { start, end } = range ?? { start: 0, end: opened.size };
      if (end < start || end > opened.size) throw new Malformed("the range exceeds the object");
      return new Download(end - start, opened.stream({ start, end }));
    },
  }),
  "objects/forget": serving({
    args: [list(text)],
    accesses: () => [],
    run: async ([handles], { peer }) => handles.forEach((handle) => peer.forgetObject(handle)),
  }),
};
