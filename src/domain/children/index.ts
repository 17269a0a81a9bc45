export * from "./admit.ts";
export * from "./make-child.ts";
export * from "./parent.ts";
