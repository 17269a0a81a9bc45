export * from "./activity.ts";
export * from "./history.ts";
export * from "./idempotency-horizon.ts";
export * from "./overdue.ts";
export * from "./product-words.ts";
export * from "./run-state.ts";
export * from "./verdict.ts";
