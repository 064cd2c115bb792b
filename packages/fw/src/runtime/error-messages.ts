/** A namespace rather than an object, so bundlers drop the members that nothing reads. */
export * as messages from "./message-texts.ts";
