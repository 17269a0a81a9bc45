import type { BucketLimits } from "../../lib/token-bucket.ts";

/** Bytes of uploads of a namespace that a port reads: three at once, and 16 MiB a second, since others wait while it decrypts them. */
export const uploadPace: BucketLimits = { burst: 33_554_432, perSecond: 16_777_216 };
