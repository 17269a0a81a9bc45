/** What a hostile namespace does, a row each. */
export const attackNames = [
  "sandboxes",
  "connections",
  "tokenReviews",
  "blobBytes",
  "objects",
  "events",
  "images",
  "tunnels",
  "chunks",
  "bodies",
  "contentTypes",
  "handshakes",
  "pings",
] as const;
export type AttackName = (typeof attackNames)[number];
