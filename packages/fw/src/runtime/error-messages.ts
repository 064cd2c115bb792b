/** A namespace, not an object: bundlers drop the members that nothing reads. */
export * as messages from "./message-texts.ts";
