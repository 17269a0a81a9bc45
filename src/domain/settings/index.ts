export * from "./merge.ts";
export * from "./resolve.ts";
