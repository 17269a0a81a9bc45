export * from "./image-key.ts";
export * from "./media-type.ts";
