/**
 * Bounds that a workspace or an image may exceed: the budgets of session, namespace and all, the volume, and the
 * workspaceSizeLimit of the sandbox's class. A closed set, since each is a label.
 */
export const blobBounds = ["session", "namespace", "total", "volume", "class"] as const;
export type BlobBound = (typeof blobBounds)[number];
