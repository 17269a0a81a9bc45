export * from "./amount.ts";
export * from "./limit.ts";
