export * from "./deadline.ts";
export * from "./heartbeat.ts";
export * from "./limits.ts";
export * from "./run-clocks.ts";
export * from "./session-clocks.ts";
