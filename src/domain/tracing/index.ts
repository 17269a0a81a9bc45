export * from "./delivery-span.ts";
export * from "./run-spans.ts";
export * from "./span.ts";
export * from "./trace-context.ts";
