export * from "./manual-run.ts";
export * from "./pause.ts";
