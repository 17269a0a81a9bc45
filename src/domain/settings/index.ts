export * from "./bounded.ts";
export * from "./effective.ts";
export * from "./execution-timeout.ts";
export * from "./merge.ts";
