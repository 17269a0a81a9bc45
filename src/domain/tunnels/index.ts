export * from "./tunnel-url.ts";
