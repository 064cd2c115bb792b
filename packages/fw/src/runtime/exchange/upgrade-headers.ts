/**
 * The headers of a 426, which name the required protocol (RFC 9110, 15.5.22). Without `close`, Node would keep the
 * connection open even if the client asked to close it.
 */
export const upgradeHeaders = [
  ["Upgrade", "websocket"],
  ["Connection", "close, Upgrade"],
] as const;
