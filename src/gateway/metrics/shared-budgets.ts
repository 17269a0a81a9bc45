/**
 * What namespaces or addresses share of a gateway replica: reviews of tokens at the port of people, memory for bodies, streams to sandboxes, streams of
 * sessions' events, uploads of images, uploads and downloads of files that agents attach, lists from the API server, and queries to the archive. A closed set, since each is a label.
 */
export const sharedBudgets = [
  "tokenReviews",
  "bodies",
  "streams",
  "eventStreams",
  "imageUploads",
  "mediaUploads",
  "mediaDownloads",
  "lists",
  "archive",
] as const;
export type SharedBudget = (typeof sharedBudgets)[number];
