import { Counter, type Registry } from "prom-client";
import type { EndedBuild } from "../../api/v1alpha1/prebuilt-image.ts";

/** Counts builds of images that have ended. */
export interface ImageMetrics {
  buildEnded(build: Pick<EndedBuild, "result" | "reason">): void;
}

/** Defines the metrics on the registry; results and reasons of failures are closed sets. */
export function defineImageMetrics(registry: Registry): ImageMetrics {
  const ended = new Counter({
    name: "runwright_image_builds_ended_total",
    help: "Builds of PrebuiltImages that have ended, by result (Ready, Failed or Superseded) and by why they failed, else empty",
    labelNames: ["result", "reason"],
    registers: [registry],
  });
  return {
    buildEnded: ({ result, reason }) => ended.inc({ result, reason: result === "Failed" ? reason : "" }),
  };
}
