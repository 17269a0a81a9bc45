export * from "./automation-id.ts";
export * from "./delivery.ts";
export * from "./payload.ts";
export * from "./receipt.ts";
export * from "./refusal.ts";
export * from "./run-name.ts";
export * from "./token-bucket.ts";
export * from "./uncounted-runs.ts";
