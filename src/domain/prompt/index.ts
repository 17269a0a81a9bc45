export * from "./compose.ts";
export * from "./webhook-context.ts";
