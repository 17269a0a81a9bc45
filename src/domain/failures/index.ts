export * from "./origin.ts";
export * from "./pause.ts";
export * from "./tally.ts";
