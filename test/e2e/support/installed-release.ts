import { clusterDown, type LocalCluster } from "../../../hack/cluster/cluster.ts";
import { ensureImages, type Images, loadImages } from "../../../hack/images/images.ts";
import type { Progress } from "../../../hack/lib/progress.ts";
import { installRelease, uninstallRelease } from "./install.ts";
import type { Narrator } from "./narrator.ts";
import { localWorkbench, type Workbench } from "./workbench.ts";

/** A local cluster with the release of this checkout. */
export interface InstalledRelease {
  cluster: LocalCluster;
  bench: Workbench;
  images: Images;
  /** Takes away what was not there before. */
  close: () => Promise<void>;
}

/** Brings a cluster up and installs the release; takes both away again where that fails. */
export async function openInstalledRelease(
  up: (progress: Progress) => Promise<LocalCluster>,
  narrator: Narrator,
): Promise<InstalledRelease> {
  const cluster = await up(narrator.say);
  const bench = localWorkbench(cluster);
  const close = async (): Promise<void> => {
    if (!cluster.isNew) await uninstallRelease(bench, false, narrator);
    await bench.close();
    if (cluster.isNew) await clusterDown(narrator.say);
  };
  try {
    const images = await ensureImages(narrator.say);
    await loadImages(cluster, [images.operator, images.sandbox], narrator.say);
    await installRelease(bench, images, narrator);
    return { cluster, bench, images, close };
  } catch (error) {
    await close();
    throw error;
  }
}
