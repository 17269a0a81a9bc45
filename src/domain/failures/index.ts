export * from "./origin.ts";
export * from "./pause.ts";
export * from "./paused-counts.ts";
export * from "./tally.ts";
