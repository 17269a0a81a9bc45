export * from "./pause.ts";
export * from "./tally.ts";
