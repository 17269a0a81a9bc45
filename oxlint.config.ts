import { defineConfig, type DummyRuleMap } from "oxlint";

import { rules } from "./hack/verify/lint/rules.ts";
import { pureFiles } from "./hack/verify/pure-files.ts";

const testFiles = ["**/*.test.ts", "test/**/*.ts"];

const useClock = "Use the injected Clock of src/lib/clock.ts.";
const useRandom = "Use the injected Random of src/lib/random.ts.";
const useAbort = "Abort a controller by a timer of the injected Clock.";
const constructed = "Programs construct it in their main.ts; take it as an argument.";
/** What reads the time, waits or draws lots otherwise than through the ports of `src/lib`. */
const timeAndChance: DummyRuleMap = {
  "runwright/no-current-date": ["error", useClock],
  "no-restricted-globals": [
    "error",
    {
      globals: ["setTimeout", "setInterval", "setImmediate"].map((name) => ({ name, message: useClock })),
      checkGlobalObject: true,
    },
  ],
  "no-restricted-properties": [
    "error",
    { object: "Date", property: "now", message: useClock },
    { object: "performance", property: "now", message: useClock },
    { object: "AbortSignal", property: "timeout", message: useAbort },
    { object: "Math", property: "random", message: useRandom },
    { property: "getRandomValues", message: useRandom },
    { property: "randomUUID", message: useRandom },
    { property: "randomBytes", message: useRandom },
  ],
  "no-restricted-imports": [
    "error",
    {
      paths: [
        ...["node:timers", "node:timers/promises"].map((name) => ({ name, message: useClock })),
        {
          name: "node:crypto",
          importNames: ["randomBytes", "randomUUID", "randomInt", "getRandomValues"],
          message: useRandom,
        },
      ],
      patterns: [
        { regex: "/lib/clock\\.ts$", importNames: ["systemClock"], message: constructed },
        { regex: "/lib/random\\.ts$", importNames: ["systemRandom"], message: constructed },
      ],
    },
  ],
};
const constructors = [
  "src/main.ts",
  "src/*/main.ts",
  "src/lib/{clock,random}.ts",
  "src/**/fake-*.ts",
  "src/page/browser-clock.ts",
];

export default defineConfig({
  plugins: ["eslint", "typescript"],
  jsPlugins: [`${import.meta.dirname}/hack/verify/lint/plugin.ts`],
  options: { typeAware: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["dist/", "coverage/", "node_modules/", "src/page/generated/", "src/page-server/generated/"],
  categories: { correctness: "error" },
  rules,
  overrides: [
    { files: ["src/**/*.{ts,tsx}"], excludeFiles: [...testFiles, ...constructors], rules: timeAndChance },
    {
      files: pureFiles,
      excludeFiles: testFiles,
      rules: {
        "runwright/no-current-date": ["error", "Pure files take the instant as an argument."],
        "runwright/no-await": ["error", "Pure files do not wait."],
      },
    },
    {
      files: testFiles,
      rules: {
        // A test may be one long story.
        complexity: "off",
        "max-params": "off",
        "typescript/no-non-null-assertion": "off",
        // Names that may be undefined are sorted as text.
        "typescript/require-array-sort-compare": "off",
      },
    },
    {
      files: ["**/*.mjs", "**/*.cjs"],
      rules: {
        "no-redeclare": "error",
        "no-undef": "error",
        // dependency-cruiser's configuration has no `import`.
        "typescript/no-require-imports": "off",
        // The types of plain JavaScript are guessed: rules that take them at their word are off.
        "typescript/no-confusing-void-expression": "off",
        "typescript/no-meaningless-void-operator": "off",
        "typescript/no-unnecessary-condition": "off",
        "typescript/no-unsafe-argument": "off",
        "typescript/no-unsafe-assignment": "off",
        "typescript/no-unsafe-call": "off",
        "typescript/no-unsafe-member-access": "off",
        "typescript/no-unsafe-return": "off",
        "typescript/prefer-nullish-coalescing": "off",
        "typescript/require-array-sort-compare": "off",
        "typescript/restrict-plus-operands": "off",
      },
      globals: {
        process: "readonly",
        console: "readonly",
        exports: "writable",
        module: "readonly",
        require: "readonly",
        URL: "readonly",
      },
    },
  ],
});
