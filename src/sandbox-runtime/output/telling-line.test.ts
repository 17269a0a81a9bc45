import { expect, it } from "vitest";

import { tellingLine } from "./telling-line.ts";

it.each([
  { name: "nothing", said: [], want: undefined },
  { name: "a line", said: ["a warning", "no key"], want: "no key" },
  {
    name: "a traceback of Python",
    said: ["Traceback (most recent call last):", "ValueError: no key"],
    want: "ValueError: no key",
  },
  {
    name: "a crash of Node",
    said: [
      "node:internal/modules/cjs/loader:1404",
      "throw err;",
      "^",
      "Error: Cannot find module 'left-pad'",
      "at Module._load (node:internal/modules/cjs/loader:1211:37)",
      "at node:internal/main/run_main_module:33:47 {",
      "code: 'MODULE_NOT_FOUND',",
      "requireStack: []",
      "}",
      "Node.js v22.11.0",
    ],
    want: "Error: Cannot find module 'left-pad'",
  },
  {
    name: "a crash of Java",
    said: [
      'Exception in thread "main" java.lang.IllegalStateException: no agent',
      "at com.example.Main.main(Main.java:5)",
      "Caused by: java.io.FileNotFoundException: key.pem",
      "... 5 more",
    ],
    want: "Caused by: java.io.FileNotFoundException: key.pem",
  },
  {
    name: "a panic of Go",
    said: ["panic: no key", "goroutine 1 [running]:", "main.main()", "/src/main.go:5 +0x1d", "exit status 2"],
    want: "panic: no key",
  },
  {
    name: "a panic of Rust",
    said: [
      "thread 'main' panicked at src/main.rs:2:5:",
      "no key",
      "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    ],
    want: "no key",
  },
  {
    name: "a failure of npm",
    said: [
      "npm error code E404",
      "npm error 404 Not Found - GET https://npm.example.com/agent",
      "npm error A complete log of this run can be found in: /home/agent/.npm/_logs/a-debug-0.log",
    ],
    want: "npm error 404 Not Found - GET https://npm.example.com/agent",
  },
  { name: "lines that tell nothing", said: ["}", "}"], want: "}" },
  { name: "an error before a line", said: ["Error: first", "gave up"], want: "gave up" },
])("of $name it is what went wrong", ({ said, want }) => {
  expect(tellingLine(said)).toBe(want);
});
