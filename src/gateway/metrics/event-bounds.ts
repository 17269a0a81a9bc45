/** What bounds the events of sessions. A closed set, since each is a label. */
export const eventBounds = ["session", "namespace", "total"] as const;
export type EventBound = (typeof eventBounds)[number];
