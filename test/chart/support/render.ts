import { join } from "node:path";

import type { KubeObject } from "../../../src/lib/resource.ts";
import { run } from "../../../hack/lib/command.ts";
import { progressOnStderr } from "../../../hack/lib/progress.ts";
import { ensureHelm } from "../../../hack/toolchain/helm.ts";
import { parseManifests, type Manifest } from "../../support/manifests.ts";

/** Folder of the chart. */
export const chart = join(import.meta.dirname, "..", "..", "..", "charts", "runwright");
/** Helm judges the chart's kubeVersion by this; the oldest that is supported. */
const kubeVersion = "1.35.0";

/** A checkout's chart asks for it. */
export const imageRepository = "runwright";

/** How a chart is installed. */
export interface Release {
  name?: string;
  namespace?: string;
  /** Values that differ from the defaults, as `--set-json` takes them. */
  values?: Record<string, unknown>;
  /** Templates to which it is narrowed. */
  showOnly?: readonly string[];
}

/** The objects of one rendered chart. */
export interface RenderedChart {
  all: Manifest[];
  /** Those of one kind; the caller knows the kind's type. */
  ofKind<T extends KubeObject>(kind: string): T[];
}

/** Renders the chart with real helm, CRDs left out; throws with helm's message when it refuses the values. */
export async function renderChart(release: Release = {}): Promise<RenderedChart> {
  const { name = "runwright", namespace = "runwright-system", values = {}, showOnly = [] } = release;
  const helm = await ensureHelm(progressOnStderr("chart"));
  const given = { "image.repository": imageRepository, ...values };
  const sets = Object.entries(given).flatMap(([key, value]) => ["--set-json", `${key}=${JSON.stringify(value)}`]);
  const shown = showOnly.flatMap((template) => ["--show-only", template]);
  const args = ["template", name, chart, "--namespace", namespace, "--kube-version", kubeVersion, ...sets, ...shown];
  const all = parseManifests(await run(helm, args));
  return {
    all,
    // Parsed YAML of our own chart: what it lacks shows as a failing assertion.
    ofKind: <T extends KubeObject>(kind: string) => all.filter((object) => object.kind === kind) as unknown as T[],
  };
}
