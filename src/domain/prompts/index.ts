export * from "./first-prompt.ts";
export * from "./make-prompt.ts";
export * from "./prompt-state.ts";
export * from "./queue-limit.ts";
