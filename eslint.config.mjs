import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";
import { pureFiles } from "./hack/verify/pure-files.cjs";

const testFiles = ["**/*.test.ts", "test/**/*.ts"];

const useClock = "Use the injected Clock of src/lib/clock.ts.";
const useRandom = "Use the injected Random of src/lib/random.ts.";
const useAbort = "Abort a controller by a timer of the injected Clock.";
const constructed = "Programs construct it in their main.ts; take it as an argument.";
const currentDate = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: useClock },
  { selector: "CallExpression[callee.name='Date']", message: useClock },
];
/** What reads the time, waits or draws lots otherwise than through the ports of `src/lib`. */
const timeAndChance = {
  "no-restricted-syntax": ["error", ...currentDate],
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
const pureFileReads = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: "Pure files take the instant as an argument.",
  },
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: "Pure files take the instant as an argument.",
  },
  { selector: "AwaitExpression", message: "Pure files do not wait." },
];

export default defineConfig(
  globalIgnores(["dist/", "coverage/", "node_modules/", "src/page/generated/", "src/page-server/generated/"]),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["*.mjs", ".dependency-cruiser.cjs", "hack/*.mjs"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      complexity: ["error", 10],
      "max-depth": ["error", 3],
      "max-params": ["error", 4],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      // Numbers and booleans read well in templates; objects still do not.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // `() => void work()` is how a callback says that its caller does not wait.
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
  { files: ["src/**/*.{ts,tsx}"], ignores: [...testFiles, ...constructors], rules: timeAndChance },
  { files: pureFiles, ignores: testFiles, rules: { "no-restricted-syntax": ["error", ...pureFileReads] } },
  {
    files: testFiles,
    rules: {
      // A test may be one long story.
      complexity: "off",
      "max-params": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
  {
    files: ["**/*.mjs", "**/*.cjs"],
    extends: [tseslint.configs.disableTypeChecked],
    // What dependency-cruiser and lint share is read by both.
    rules: { "@typescript-eslint/no-require-imports": "off" },
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        exports: "writable",
        module: "readonly",
        require: "readonly",
        URL: "readonly",
      },
    },
  },
);
