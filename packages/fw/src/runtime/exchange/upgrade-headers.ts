/**
 * The headers of a 426, which names the protocol to ask for (RFC 9110, 15.5.22). Node keeps a connection open whose
 * answer names options without `close`, even for a client that asked for the end of it.
 */
export const upgradeHeaders = [
  ["Upgrade", "websocket"],
  ["Connection", "close, Upgrade"],
] as const;
