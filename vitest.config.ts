import { defineConfig } from "vitest/config";

import { SlowestFirst } from "./hack/test/slowest-first.ts";

/** Tests against real programs wait for half of their time, so two processors have work for three of them. */
const waitingWorkers = 3;

export default defineConfig({
  test: {
    // What failed on another machine is known from its output alone.
    chaiConfig: { truncateThreshold: 0 },
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "hack/**/*.test.ts",
            "bench/**/*.test.ts",
            "test/e2e/support/**/*.test.ts",
            "test/fuzz/**/*.test.ts",
            "test/heartbeats/**/*.test.ts",
            "test/kills/**/*.test.ts",
          ],
          testTimeout: 60_000,
          maxWorkers: "100%",
          // No module has state of its own, so one load of them serves all files of a worker.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "storage",
          maxWorkers: waitingWorkers,
          include: ["test/storage/**/*.test.ts"],
          globalSetup: ["test/storage/s3-server.setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "apiserver",
          maxWorkers: waitingWorkers,
          include: ["test/apiserver/**/*.test.ts"],
          globalSetup: ["test/support/control-plane.setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "contract",
          maxWorkers: waitingWorkers,
          include: ["test/contract/**/*.test.ts"],
          globalSetup: ["test/support/control-plane.setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "chart",
          maxWorkers: waitingWorkers,
          include: ["test/chart/**/*.test.ts"],
          globalSetup: ["test/support/control-plane.setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/*.test.ts"],
          globalSetup: ["test/support/cluster.setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: "network",
          include: ["test/network/*.test.ts"],
          globalSetup: ["test/network/cluster.setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: { name: "docker", include: ["test/docker/*.test.ts"], testTimeout: 1_800_000 },
      },
    ],
  },
});
