/** Who may import whom outside `src`; `.dependency-cruiser.cjs` has the rules for `src`. */
module.exports = {
  forbidden: [
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
    { name: "no-cycles", severity: "error", from: { pathNot: "^src/" }, to: { circular: true } },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { extensions: [".ts", ".mjs"] },
  },
};
