import { configDefaults, defineConfig } from "vitest/config";

import { filesLeftOut, type Footing, type Level, levels } from "./hack/test/levels.ts";
import { SlowestFirst } from "./hack/test/slowest-first.ts";
import { places } from "./test/e2e/support/cluster-places.ts";

/** Tests against real programs wait for much of their time: three files at once leave two processors idle for a fifth of it. */
const waitingWorkers = 4;

/** A browser works all the time, and a cluster beside it. */
const browserWorkers = 2;
const minuteMs = 60_000;

/** Ten times what the longest takes alone. */
const limits = { testTimeout: 10 * minuteMs, hookTimeout: 10 * minuteMs };

/** Where `isolate` is false: no module has state that a test file could see of another, so one load of them serves all files of a worker. */
const servers = { maxWorkers: waitingWorkers, isolate: false, ...limits };

const controlPlane = "test/support/control-plane.setup.ts";
const programs = "test/support/programs.setup.ts";
const collectingPlane = "test/support/collecting-plane.setup.ts";

const footings: Record<Footing, object> = {
  nothing: { maxWorkers: "100%", isolate: false, testTimeout: 10 * minuteMs },
  storage: { ...servers, globalSetup: ["test/storage/s3-server.setup.ts"] },
  controlPlane: { ...servers, globalSetup: [controlPlane] },
  programs: { ...servers, globalSetup: [controlPlane, programs, collectingPlane] },
  engines: { ...servers, globalSetup: [controlPlane, programs] },
  browser: { maxWorkers: browserWorkers, ...limits, globalSetup: ["test/web/web.setup.ts"] },
  cluster: { fileParallelism: false, ...limits, globalSetup: ["test/support/cluster.setup.ts"] },
  network: { fileParallelism: false, ...limits, globalSetup: ["test/network/cluster.setup.ts"] },
  docker: { testTimeout: 30 * minuteMs },
};

/** A file at each place, but for those that have the cluster to themselves. */
const sharedCluster = ({ alone }: Level): object =>
  alone === undefined
    ? {}
    : { fileParallelism: true, maxWorkers: places.length, setupFiles: ["test/support/cluster-place.setup.ts"] };

export default defineConfig({
  test: {
    // What failed on another machine is known from its output alone.
    chaiConfig: { truncateThreshold: 0 },
    // Other tests may keep the machine busy: what is waited for comes late.
    expect: { poll: { timeout: minuteMs } },
    sequence: { sequencer: SlowestFirst },
    projects: levels.map((level) => ({
      extends: true,
      test: {
        name: level.name,
        include: [...level.files],
        exclude: [...configDefaults.exclude, ...filesLeftOut(level)],
        provide: { isThorough: level.isLong === true, alone: level.alone ?? [] },
        ...footings[level.footing],
        ...sharedCluster(level),
      },
    })),
  },
});
