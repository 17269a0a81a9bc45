export * from "./judge.ts";
export * from "./merge.ts";
export * from "./scope.ts";
