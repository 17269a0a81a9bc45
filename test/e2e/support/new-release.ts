import { parse } from "yaml";

import { ensureImages } from "../../../hack/images/images.ts";
import { installPublished, installRelease, showPublished, type PublishedChart } from "./install.ts";
import type { Narrator } from "./narrator.ts";
import type { Workbench } from "./workbench.ts";

/** The release that an upgrade leads to. */
export interface NewRelease {
  /** The operator's image as its pods name it. */
  operatorImage: string;
  /** Installs it or upgrades to it; `sets` are values as `--set` takes them. */
  install(bench: Workbench, sets: readonly string[]): Promise<void>;
}

/** Variable with the `oci://` reference and the version, after a colon, of a published chart to use. */
export const publishedVariable = "RUNWRIGHT_PUBLISHED_CHART";

/** The release of this checkout, or the published one that the variable names. */
export async function newRelease(narrator: Narrator): Promise<NewRelease> {
  const named = process.env[publishedVariable];
  if (named !== undefined) return published(splitChart(named), narrator);
  const images = await ensureImages(narrator.say);
  return {
    operatorImage: images.operator.name,
    install: (bench, sets) => installRelease(bench, images, narrator, { sets }),
  };
}

async function published(chart: PublishedChart, narrator: Narrator): Promise<NewRelease> {
  const { image } = parse(await showPublished("values", chart, narrator)) as Record<"image", Record<string, string>>;
  return {
    operatorImage: `${image.repository}@${image.digest}`,
    install: (bench, sets) => installPublished(bench, chart, narrator, sets),
  };
}

function splitChart(named: string): PublishedChart {
  const colon = named.lastIndexOf(":");
  return { reference: named.slice(0, colon), version: named.slice(colon + 1) };
}
