/** The headers of a 426, which names the protocol to ask for (RFC 9110, 15.5.22). */
export const upgradeHeaders = [
  ["Upgrade", "websocket"],
  ["Connection", "Upgrade"],
] as const;
