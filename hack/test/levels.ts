/** What the tests of a level stand on; vitest.config.ts sets it up. */
export type Footing =
  "nothing" | "storage" | "controlPlane" | "programs" | "engines" | "browser" | "cluster" | "network" | "docker";

/** A level of tests: a vitest project, and the npm script `test:NAME`. */
export interface Level {
  name: string;
  footing: Footing;
  /** Globs of its test files, from the project's root. */
  files: readonly string[];
  /** Levels of one batch run beside each other; each has servers of its own. */
  batch: string;
  /** Levels of a batch that name the same one, or none, share a run of vitest and its workers. */
  vitest?: string;
  /** In `npm run test:all` alone, where its files try everything (`isThorough`). */
  isLong?: true;
  /** Files that each have the cluster to themselves: they end processes of the release or change it. The others run two at a time. */
  alone?: readonly string[];
  /** Its files try nothing in `npm test`. Files of other long levels try a sample there, in the level whose globs name them too. */
  isWhole?: true;
}

/** What each change has to pass, quick levels first. */
const everyChange: readonly Level[] = [
  {
    name: "unit",
    footing: "nothing",
    batch: "unit",
    files: [
      "src/**/*.test.ts",
      "hack/**/*.test.ts",
      "bench/**/*.test.ts",
      "test/e2e/support/**/*.test.ts",
      "test/fuzz/**/*.test.ts",
      "test/heartbeats/**/*.test.ts",
      "test/kills/**/*.test.ts",
      "test/simulation/**/*.test.ts",
    ],
  },
  { name: "storage", footing: "storage", batch: "servers", files: ["test/storage/**/*.test.ts"] },
  { name: "apiserver", footing: "programs", batch: "servers", files: ["test/apiserver/**/*.test.ts"] },
  { name: "contract", footing: "controlPlane", batch: "servers", files: ["test/contract/**/*.test.ts"] },
  { name: "chart", footing: "controlPlane", batch: "servers", files: ["test/chart/**/*.test.ts"] },
  // A cluster leaves a third of two processors idle, which a browser makes use of.
  { name: "web", footing: "browser", batch: "cluster", vitest: "browser", files: ["test/web/**/*.test.ts"] },
  {
    name: "e2e",
    footing: "cluster",
    batch: "cluster",
    files: ["test/e2e/*.test.ts"],
    alone: [
      "test/e2e/deletion.test.ts",
      "test/e2e/interrupted.test.ts",
      "test/e2e/prebuilt-image.test.ts",
      "test/e2e/restarts.test.ts",
      "test/e2e/restarts-in-each-state.test.ts",
      "test/e2e/slack.test.ts",
    ],
  },
];

const long: readonly Level[] = [
  { name: "histories", footing: "nothing", batch: "histories", files: ["test/simulation/histories.test.ts"] },
  { name: "sequences", footing: "programs", batch: "long servers", files: ["test/apiserver/model/*.test.ts"] },
  { name: "deadlines", footing: "programs", batch: "long servers", files: ["test/apiserver/run/deadlines.test.ts"] },
  { name: "crashes", footing: "programs", batch: "long servers", files: ["test/apiserver/whole/crashes.test.ts"] },
  {
    name: "kills",
    footing: "programs",
    batch: "long servers",
    files: [
      "test/apiserver/kills/*.test.ts",
      "test/apiserver/connector/{,*-}kills.test.ts",
      "test/apiserver/connector/slack-{images,media,pull-requests}.test.ts",
      "test/apiserver/connector/pull-request-requests.test.ts",
    ],
  },
  { name: "soak", footing: "programs", batch: "long servers", files: ["test/apiserver/soak/*.test.ts"] },
  {
    name: "engines",
    footing: "engines",
    batch: "engines",
    files: [
      "test/contract/people-api.test.ts",
      "test/apiserver/gitops/health.test.ts",
      "test/chart/plugin-release.test.ts",
    ],
    isWhole: true,
  },
  { name: "opencode", footing: "cluster", batch: "opencode", files: ["test/e2e/opencode.test.ts"], isWhole: true },
  { name: "upgrade", footing: "cluster", batch: "upgrade", files: ["test/e2e/upgrade.test.ts"], isWhole: true },
  {
    name: "kinds",
    footing: "cluster",
    batch: "kinds",
    files: [
      "test/e2e/archive.test.ts",
      "test/e2e/documents.test.ts",
      "test/e2e/github.test.ts",
      "test/e2e/kinds.test.ts",
    ],
    alone: ["test/e2e/archive.test.ts", "test/e2e/github.test.ts"],
    isWhole: true,
  },
  { name: "chaos", footing: "cluster", batch: "chaos", files: ["test/e2e/chaos.test.ts"], isWhole: true },
  { name: "attacks", footing: "cluster", batch: "attacks", files: ["test/attacks/*.test.ts"] },
  { name: "network", footing: "network", batch: "network", files: ["test/network/*.test.ts"] },
  { name: "docker", footing: "docker", batch: "docker", files: ["test/docker/*.test.ts"] },
].map((level) => ({ ...level, isLong: true }) as Level);

export const levels: readonly Level[] = [...everyChange, ...long];

/** Globs of files that are left out of a level although its own globs name them. */
export function filesLeftOut({ isLong }: Level): string[] {
  return isLong ? [] : long.flatMap(({ files, isWhole }) => (isWhole ? files : []));
}
