import { defineConfig } from "vitest/config";

import { SlowestFirst } from "./hack/test/slowest-first.ts";

/** Tests against real programs wait for half of their time, so two processors have work for three of them. */
const waitingWorkers = 3;

// Where `isolate` is false: no module has state that a test file could see of another, so one load of them serves all files of a worker.

export default defineConfig({
  test: {
    // What failed on another machine is known from its output alone.
    chaiConfig: { truncateThreshold: 0 },
    // Other tests may keep the machine busy: what is waited for comes late.
    expect: { poll: { timeout: 60_000 } },
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
            "test/simulation/**/*.test.ts",
          ],
          testTimeout: 180_000,
          maxWorkers: "100%",
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "storage",
          maxWorkers: waitingWorkers,
          isolate: false,
          include: ["test/storage/**/*.test.ts"],
          globalSetup: ["test/storage/s3-server.setup.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "apiserver",
          maxWorkers: waitingWorkers,
          isolate: false,
          include: ["test/apiserver/**/*.test.ts"],
          globalSetup: ["test/support/control-plane.setup.ts", "test/support/programs.setup.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "contract",
          maxWorkers: waitingWorkers,
          isolate: false,
          include: ["test/contract/**/*.test.ts"],
          globalSetup: ["test/support/control-plane.setup.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "chart",
          maxWorkers: waitingWorkers,
          isolate: false,
          include: ["test/chart/**/*.test.ts"],
          globalSetup: ["test/support/control-plane.setup.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "web",
          maxWorkers: waitingWorkers,
          include: ["test/web/**/*.test.ts"],
          globalSetup: ["test/web/web.setup.ts"],
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
          name: "attacks",
          include: ["test/attacks/*.test.ts"],
          globalSetup: ["test/support/cluster.setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 300_000,
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
