/**
 * Which folder may import which. A folder of `src` is a program, or is shared by two or more programs (hack/verify/shared-files.ts
 * counts); programs never import each other.
 */
const { pureFiles } = require("./hack/verify/pure-files.ts");

/** Shared folders, each with the folders that it may import beside itself. */
const shared = {
  lib: [],
  api: ["lib"],
  domain: ["lib", "api"],
  kube: ["lib"],
  blobs: ["lib"],
  telemetry: ["lib", "domain"],
  "page-server": ["lib"],
};

const programs = ["controllers", "ingress", "gateway", "connector", "sandbox-runtime", "cli", "web", "page"];

/** Capabilities of the gateway, each above those that it may import. */
const gateway = {
  metrics: [],
  http: ["metrics"],
  archive: ["automations", "http"],
  replicas: ["attempts"],
  attempts: ["http", "metrics"],
  blobs: ["attempts", "metrics"],
  events: ["attempts", "blobs", "http", "metrics"],
  runtimes: ["attempts", "events", "http", "metrics"],
  snapshots: ["attempts", "blobs", "http", "runtimes"],
  tunnels: ["attempts", "http", "runtimes"],
  credentials: ["attempts"],
  skills: ["attempts", "http", "metrics"],
  sessions: ["attempts", "blobs", "http", "metrics"],
  children: ["attempts", "http", "metrics", "sessions"],
  automations: ["http"],
  api: ["archive", "attempts", "automations", "events", "http", "metrics", "sessions", "tunnels"],
};

const sources = { pathNot: "\\.test\\.tsx?$" };

const layers = Object.entries(shared).map(([folder, allowed]) => ({
  name: `${folder}-depends-downwards`,
  severity: "error",
  from: { path: `^src/${folder}/`, ...sources },
  to: { path: "^src/", pathNot: `^src/(${[folder, ...allowed].join("|")})/` },
}));

const apart = programs.map((program) => ({
  name: `${program}-imports-shared-folders-alone`,
  severity: "error",
  from: { path: `^src/${program}/`, ...sources },
  to: { path: "^src/", pathNot: `^src/(${[program, ...Object.keys(shared)].join("|")})/` },
}));

const capabilities = Object.entries(gateway).map(([folder, allowed]) => ({
  name: `gateway-${folder}-depends-downwards`,
  severity: "error",
  from: { path: `^src/gateway/${folder}/`, ...sources },
  to: { path: "^src/gateway/", pathNot: `^src/gateway/(${[folder, ...allowed].join("|")})/` },
}));

/** What starts a process of ours, or a controller of one. */
const starters =
  "^src/(controllers/.*/controller|controllers/(start|run)-controllers|(gateway|ingress|connector)/(start|run)-[a-z]+)\\.ts$";

/** Tests that may: each gives the process its own account (`test/support/process-accounts.ts`, `test/support/installed-release.ts`). */
const worlds = [
  "^test/model/(operator|replica)\\.ts$",
  "^test/soak/processes\\.ts$",
  "^test/support/runtime-gateway\\.ts$",
  "^test/apiserver/connector/world\\.ts$",
  "^test/apiserver/gitops/health\\.test\\.ts$",
  "^test/apiserver/image/controller-world\\.ts$",
  "^test/apiserver/ingress/world\\.ts$",
  "^test/apiserver/orphans/orphans\\.test\\.ts$",
  "^test/apiserver/run/(deletion\\.test|intake|world)\\.ts$",
  "^test/apiserver/session/([a-z]+-controllers|world)\\.ts$",
  "^test/apiserver/skill-sets/skill-sets\\.test\\.ts$",
  "^test/apiserver/whole/watched-collectors\\.test\\.ts$",
];

module.exports = {
  forbidden: [
    {
      name: "tests-start-processes-under-their-own-accounts",
      comment:
        "A process that works as the cluster's admin shows no right that it lacks. Start it through a world of the list above.",
      severity: "error",
      from: { path: "^test/", pathNot: [...worlds, "^test/simulation/"] },
      to: { path: starters, dependencyTypesNot: ["type-only"] },
    },
    ...layers,
    ...apart,
    ...capabilities,
    {
      name: "gateway-folders-have-a-place",
      comment: "A new capability is entered in the table above.",
      severity: "error",
      from: { path: "^src/gateway/start-gateway\\.ts$" },
      to: { path: "^src/gateway/([^/]+)/", pathNot: `^src/gateway/(${Object.keys(gateway).join("|")})/` },
    },
    {
      name: "controllers-stay-apart",
      comment: "One kind per controller; what several need is the sandbox, or stands beside their folders.",
      severity: "error",
      from: { path: "^src/controllers/([^/]+)/" },
      to: { path: "^src/controllers/([^/]+)/", pathNot: "^src/controllers/($1|sandbox|metrics)/" },
    },
    {
      name: "sandbox-knows-no-controller",
      comment: "The attempt does not know who owns it.",
      severity: "error",
      from: { path: "^src/controllers/sandbox/", ...sources },
      to: { path: "^src/controllers/[^/]+/", pathNot: "^src/controllers/sandbox/" },
    },
    {
      name: "pure-files-have-no-effects",
      severity: "error",
      from: { path: pureFiles.map(asPattern), ...sources },
      to: {
        path: "^(node:)?(fs|net|http|https|child_process|timers)|^node_modules/(express|pino|undici|ws|prom-client)/|^src/(kube/(?!errors|types)|telemetry/)",
        dependencyTypesNot: ["type-only"],
      },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "nothing-imports-main-or-codegen",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/codegen/" },
      to: { path: "^src/(main\\.ts|codegen/)" },
    },
    {
      name: "sources-import-no-tests",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.test\\.tsx?$" },
      to: { path: "^test/|\\.test\\.ts$" },
    },
    {
      name: "cluster-has-one-entry",
      severity: "error",
      from: { pathNot: "^hack/cluster/" },
      to: { path: "^hack/cluster/", pathNot: "^hack/cluster/cluster\\.ts$" },
    },
    {
      name: "cluster-depends-downwards",
      severity: "error",
      from: { path: "^hack/cluster/" },
      to: { path: "^(hack|test|bench|src)/", pathNot: "^hack/(cluster|lib|toolchain)/" },
    },
    {
      name: "nothing-imports-the-demo",
      severity: "error",
      from: { pathNot: "^hack/demo/" },
      to: { path: "^hack/demo/" },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};

/** A glob of pure files as a regular expression; `**` stands for at least one folder. */
function asPattern(glob) {
  const pattern = glob
    .replaceAll(".", "\\.")
    .replaceAll(/\{([^}]*)\}/g, (_, names) => `(${names.replaceAll(",", "|")})`)
    .replaceAll("**/*", "ANY")
    .replaceAll("**", "ANY")
    .replaceAll("*", "[^/]*")
    .replaceAll("ANY", ".*");
  return `^${pattern}$`;
}
