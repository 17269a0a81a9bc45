/** Dependency direction: lib <- api <- domain <- everything else <- main. */
const below = {
  lib: [],
  api: ["lib"],
  domain: ["lib", "api"],
  kube: ["lib"],
  blobs: ["lib"],
  telemetry: ["lib", "domain"],
  sandbox: ["lib", "api", "domain", "kube", "telemetry"],
  store: ["lib", "api", "domain", "kube", "telemetry"],
  controllers: ["lib", "api", "domain", "kube", "telemetry", "sandbox"],
  ingress: ["lib", "api", "domain", "telemetry"],
  gateway: ["lib", "api", "domain", "kube", "blobs", "telemetry", "store"],
  runtime: ["lib", "api", "domain"],
  cli: ["lib", "api", "domain", "kube"],
};

const layers = Object.entries(below).map(([folder, allowed]) => ({
  name: `${folder}-depends-downwards`,
  severity: "error",
  from: { path: `^src/${folder}/`, pathNot: "\\.test\\.ts$" },
  to: { path: "^src/", pathNot: `^src/(${[folder, ...allowed].join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: "controllers-stay-apart",
      comment: "One kind per controller; what two of them need is domain or sandbox.",
      severity: "error",
      from: { path: "^src/controllers/([^/]+)/" },
      to: { path: "^src/controllers/([^/]+)/", pathNot: "^src/controllers/($1|shared)/" },
    },
    {
      name: "pure-files-have-no-effects",
      severity: "error",
      from: { path: "^src/(domain/|.*/(plan|lifecycle|resources)\\.ts$)", pathNot: "\\.test\\.ts$" },
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
      from: { path: "^src/", pathNot: "\\.test\\.ts$" },
      to: { path: "^test/|\\.test\\.ts$" },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".mjs", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
