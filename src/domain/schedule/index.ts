export * from "./slots.ts";
