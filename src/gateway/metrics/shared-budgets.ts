/**
 * What namespaces or addresses share of a gateway replica: reviews of tokens at the port of people, reviews of access, memory for bodies, streams to sandboxes, streams of
 * sessions' events, uploads of images, uploads and downloads of files that agents attach, lists from the API server, queries to the archive, saves of workspaces (each is counted once and
 * waits for its turn), and unfinished prompts of a session. A closed set, since each is a label.
 */
export const sharedBudgets = [
  "tokenReviews",
  "accessReviews",
  "bodies",
  "streams",
  "eventStreams",
  "imageUploads",
  "mediaUploads",
  "mediaDownloads",
  "lists",
  "archive",
  "saves",
  "prompts",
] as const;
export type SharedBudget = (typeof sharedBudgets)[number];
