import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // What failed on another machine is known from its output alone.
    chaiConfig: { truncateThreshold: 0 },
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
            "test/kills/**/*.test.ts",
          ],
          testTimeout: 60_000,
          // No module has state of its own, so one load of them serves all files of a worker.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "storage",
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
          include: ["test/apiserver/**/*.test.ts"],
          globalSetup: ["test/support/control-plane.setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "contract",
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
    ],
  },
});
