import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";
import { pureFiles } from "./hack/verify/pure-files.cjs";

const testFiles = ["**/*.test.ts", "test/**/*.ts"];
const clockReads = [
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
  globalIgnores(["dist/", "coverage/", "node_modules/"]),
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
      // `() => void work()` is how a callback says that nobody waits for it.
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
  { files: pureFiles, ignores: testFiles, rules: { "no-restricted-syntax": ["error", ...clockReads] } },
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
    languageOptions: { globals: {
        process: "readonly",
        console: "readonly",
        exports: "writable",
        module: "readonly",
        require: "readonly",
        URL: "readonly",
      } },
  },
);
