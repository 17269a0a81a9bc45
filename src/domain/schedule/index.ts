export * from "./due.ts";
export * from "./problem.ts";
export * from "./run-name.ts";
export * from "./slots.ts";
