import { ensureControlPlane, provideForCluster } from "../../cluster/cluster.ts";
import { ensureImages } from "../../images/images.ts";
import { type Progress, progressOnStderr } from "../../lib/progress.ts";
import { ensureHealth } from "../../toolchain/health.ts";
import { ensureHelm } from "../../toolchain/helm.ts";
import { ensureNginx } from "../../toolchain/nginx.ts";
import { ensurePostgresql } from "../../toolchain/postgresql.ts";
import { ensureS3Server } from "../../toolchain/s3-server.ts";
import type { Footing } from "../levels.ts";
import { provideForWeb } from "../requirements.ts";

// Builds and installs what the tests of these footings stand on, so that it is there when they begin. What cannot be had is left
// to them to say.

type Provision = (progress: Progress) => Promise<unknown>;

const controlPlane: readonly Provision[] = [ensureControlPlane, ensureHelm, ensureHealth];
const provisions: Partial<Record<Footing, readonly Provision[]>> = {
  storage: [ensureS3Server, ensurePostgresql],
  controlPlane,
  programs: controlPlane,
  browser: [provideForWeb],
  cluster: [provideForCluster, ensureHelm, ensureImages, ensureNginx],
};

const progress = progressOnStderr("provisions");
const wanted = new Set(process.argv.slice(2).flatMap((footing) => provisions[footing as Footing] ?? []));
for (const provide of wanted) {
  await provide(progress).catch((error: unknown) => {
    progress(error instanceof Error ? error.message : String(error));
  });
}
