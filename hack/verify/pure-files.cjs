/**
 * Files that decide and have no effects: lint keeps them from waiting and from reading a clock, the boundaries from
 * importing what has effects. Globs below the checkout's root.
 */
exports.pureFiles = [
  "src/domain/**/*.ts",
  "src/**/plan.ts",
  "src/controllers/**/decide.ts",
  "src/controllers/*/decide/*.ts",
  "src/controllers/**/facts.ts",
  "src/**/lifecycle.ts",
  "src/**/resources.ts",
  "src/controllers/{automation-activity,bounded-settings,failed-prompt,first-prompt-name,predicates}.ts",
  "src/controllers/automation/history/*.ts",
  "src/controllers/automation/slots/{schedule,slots}.ts",
  "src/controllers/**/{predicates,status-diff}.ts",
  "src/controllers/metrics/state-counts.ts",
  "src/controllers/run/{failure-origin,ownership,run-spans,verdict}.ts",
  "src/controllers/run/first-prompt/*.ts",
  "src/controllers/sandbox/secrets/*.ts",
  "src/controllers/sandbox/owner.ts",
  "src/controllers/sandbox/start/make-start.ts",
  "src/gateway/children/make-child.ts",
  "src/gateway/http/product-words.ts",
  "src/gateway/events/is-finished.ts",
  "src/ingress/answer-facts.ts",
  "src/ingress/cluster/uncounted-runs.ts",
  "src/ingress/delivery-log/{delivery-log,logged-delivery}.ts",
  "src/ingress/tracing/delivery-traces.ts",
];
