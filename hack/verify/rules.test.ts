import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import { pureFiles } from "./pure-files.ts";
import { neededByOneProgram } from "./shared-files.ts";

const root = join(import.meta.dirname, "..", "..");
const require = createRequire(import.meta.url);
const { forbidden } = require(join(root, ".dependency-cruiser.cjs")) as { forbidden: { name: string }[] };

interface Report {
  summary: { violations: { from: string; rule: { name: string } }[] };
}

/** A rule that a file breaks, and in which of its lines. */
interface Finding {
  file: string;
  rule: string;
  line: number;
}

/** What oxlint writes of each. */
interface Diagnostic {
  code?: string;
  filename: string;
  labels: { span: { line: number } }[];
}

describe("the boundaries", () => {
  /** Folders of the gateway and of `src` that nothing below them may import. */
  const upwards = (name: string): [string, string][] => {
    const capability = /^gateway-(.*)-depends-downwards$/.exec(name)?.[1];
    const shared = /^(.*)-depends-downwards$/.exec(name)?.[1];
    const program = /^(.*)-imports-shared-folders-alone$/.exec(name)?.[1];
    if (capability !== undefined) return [[`src/gateway/${capability}/planted.ts`, "../start-gateway.ts"]];
    if (shared !== undefined) return [[`src/${shared}/planted.ts`, "../controllers/start-controllers.ts"]];
    if (program !== undefined) return [[`src/${program}/planted-${program}.ts`, "../main.ts"]];
    return [];
  };
  const planted: Readonly<Record<string, [string, string][]>> = {
    "tests-start-processes-under-their-own-accounts": [
      ["test/apiserver/planted.ts", "../../src/controllers/start-controllers.ts"],
    ],
    "gateway-folders-have-a-place": [["src/gateway/start-gateway.ts", "./unheard-of/capability.ts"]],
    "controllers-stay-apart": [["src/controllers/run/planted.ts", "../session/facts.ts"]],
    "sandbox-knows-no-controller": [["src/controllers/sandbox/planted.ts", "../session/facts.ts"]],
    "pure-files-have-no-effects": [["src/controllers/run/decide.ts", "node:fs"]],
    "no-cycles": [
      ["src/lib/one.ts", "./other.ts"],
      ["src/lib/other.ts", "./one.ts"],
    ],
    "nothing-imports-main-or-codegen": [["src/ingress/planted.ts", "../codegen/yaml.ts"]],
    "sources-import-no-tests": [["src/lib/planted-test.ts", "./a.test.ts"]],
    "cluster-has-one-entry": [["test/e2e/planted.ts", "../../hack/cluster/native/node.ts"]],
    "cluster-depends-downwards": [["hack/cluster/native/planted.ts", "../../../test/support/world.ts"]],
    "nothing-imports-the-demo": [["test/support/planted.ts", "../../hack/demo/demo.ts"]],
  };
  const allowed: [string, string][] = [
    ["hack/cluster/cluster.ts", "./native/node.ts"],
    ["hack/cluster/native/node.ts", "../../lib/run.ts"],
    ["hack/demo/demo.ts", "../cluster/cluster.ts"],
    ["test/support/world.ts", "../../hack/cluster/cluster.ts"],
    ["test/model/operator.ts", "../../src/controllers/start-controllers.ts"],
  ];
  const targets = [
    "src/main.ts",
    "src/gateway/unheard-of/capability.ts",
    "src/controllers/start-controllers.ts",
    "src/controllers/session/facts.ts",
    "src/codegen/yaml.ts",
    "src/lib/a.test.ts",
    "hack/lib/run.ts",
  ];

  it("forbid what each of their rules names, and what else is written here is allowed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "boundaries-"));
    try {
      await symlink(join(root, "node_modules"), join(folder, "node_modules"));
      await write(folder, "tsconfig.json", "{}");
      for (const target of targets) await write(folder, target, "export {};\n");
      for (const [file, imported] of allowed) await write(folder, file, `import "${imported}";\n`);
      for (const { name } of forbidden) {
        for (const [file, imported] of planted[name] ?? upwards(name)) {
          await write(folder, file, `import "${imported}";\n`);
        }
      }
      const args = ["src", "hack", "test", "--config", join(root, ".dependency-cruiser.cjs"), "--output-type", "json"];
      const { stdout } = await promisify(execFile)(join(root, "node_modules", ".bin", "depcruise"), args, {
        cwd: folder,
      }).catch((error: unknown) => error as { stdout: string });
      const { violations } = (JSON.parse(stdout) as Report).summary;
      const broken = new Set(violations.map(({ rule }) => rule.name));
      expect([...broken].sort()).toEqual(forbidden.map(({ name }) => name).sort());
      const clean = allowed.map(([file]) => file);
      expect(violations.map(({ from }) => from).filter((file) => clean.includes(file))).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("time and chance", () => {
  const banned = [
    "export const now = new Date();",
    "export const text = Date();",
    "export const wallMs = Date.now();",
    "export const ms = performance.now();",
    "export const { now: read } = Date;",
    "export const fraction = Math.random();",
    "export const signal = AbortSignal.timeout(1);",
    "export const id = crypto.randomUUID();",
    "export const values = crypto.getRandomValues(new Uint8Array(1));",
    "export const once = setTimeout(() => undefined, 1);",
    "export const often = setInterval(() => undefined, 1);",
    "export const soon = setImmediate(() => undefined);",
    "export const global = globalThis.setTimeout(() => undefined, 1);",
    'import "node:timers";',
    'import { setTimeout as delay } from "node:timers/promises";',
    'import { randomBytes } from "node:crypto";',
    'import { randomUUID } from "node:crypto";',
    'import { randomInt } from "node:crypto";',
    'import { getRandomValues } from "node:crypto";',
    'import * as crypto from "node:crypto";\nexport const bytes = crypto.randomBytes(1);',
    'import { systemClock } from "../lib/clock.ts";',
    'import { systemRandom } from "../lib/random.ts";',
  ];
  const allowed = [
    "export const start = new Date(0);",
    "declare const clock: { setTimeout(): void; now(): Date };",
    "clock.setTimeout();",
    "export const at = clock.now();",
    'import type { Clock } from "../lib/clock.ts";',
    'import { createHash } from "node:crypto";',
  ];

  it("come by injection, not by what is banned", async () => {
    const files = banned.map((text, index) => [`src/ingress/planted-${index}.ts`, text] as const);
    const found = new Set((await findings(Object.fromEntries(files))).map(({ file }) => file));
    expect(files.filter(([file]) => !found.has(file)).map(([, text]) => text)).toEqual([]);
  });

  it("come from the ports and from given instants", async () => {
    expect(await findings({ "src/ingress/app.ts": allowed.join("\n") })).toEqual([]);
  });

  it("are constructed in programs' main files, ports and tests", async () => {
    const files = ["src/main.ts", "src/lib/clock.ts", "src/ingress/app.test.ts"];
    expect(await findings(Object.fromEntries(files.map((file) => [file, banned.join("\n")])))).toEqual([]);
  });
});

describe("files without effects", () => {
  it("may not wait or read a clock", async () => {
    const files = pureFiles.map((glob) => globSync(glob, { cwd: root }).find((name) => !name.endsWith(".test.ts")));
    expect(
      pureFiles.filter((_, index) => files[index] === undefined),
      "no file is meant by it",
    ).toEqual([]);
    const text = "export const now = new Date();\nexport const ms = Date.now();\nexport const later = await ms;\n";
    const expected = files.flatMap((file) => [
      { file, rule: "runwright(no-current-date)", line: 1 },
      { file, rule: "runwright(no-current-date)", line: 2 },
      { file, rule: "runwright(no-await)", line: 3 },
    ]);
    expect(await findings(Object.fromEntries(files.map((file) => [file!, text])))).toEqual(
      expect.arrayContaining(expected),
    );
  });
});

describe("shared files", () => {
  const imports = (entries: Record<string, string[]>) => new Map(Object.entries(entries));

  it.each([
    {
      name: "one that two programs import is shared",
      entries: { "src/cli/a.ts": ["src/lib/x.ts"], "src/ingress/b.ts": ["src/lib/x.ts"], "src/lib/x.ts": [] },
      alone: [],
    },
    {
      name: "one that two programs reach through other files is shared",
      entries: {
        "src/cli/a.ts": ["src/domain/y.ts"],
        "src/ingress/b.ts": ["src/lib/x.ts"],
        "src/gateway/c.ts": ["src/domain/y.ts"],
        "src/domain/y.ts": ["src/lib/x.ts"],
        "src/lib/x.ts": [],
      },
      alone: [],
    },
    {
      name: "one that starts with the processes is shared",
      entries: { "src/main.ts": ["src/telemetry/x.ts"], "src/telemetry/x.ts": [] },
      alone: [],
    },
    {
      name: "one of a single program is not",
      entries: { "src/cli/a.ts": ["src/lib/x.ts"], "src/cli/b.ts": ["src/lib/x.ts"], "src/lib/x.ts": [] },
      alone: [{ file: "src/lib/x.ts", neededBy: "cli" }],
    },
    {
      name: "one that only a test needs is not",
      entries: { "src/cli/a.test.ts": ["src/lib/x.ts"], "src/lib/x.ts": [] },
      alone: [{ file: "src/lib/x.ts", neededBy: undefined }],
    },
  ])("$name", ({ entries, alone }) => {
    expect(neededByOneProgram(imports(entries as unknown as Record<string, string[]>))).toEqual(alone);
  });
});

async function write(folder: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

/** What texts break of our own rules, as those files. */
async function findings(texts: Readonly<Record<string, string>>): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), "lint-"));
  try {
    for (const [file, text] of Object.entries(texts)) await write(folder, file, text);
    // What a configuration says of paths is meant below its own folder.
    const config = JSON.stringify(join(root, "oxlint.config.ts"));
    const untyped = `import config from ${config};\nexport default { ...config, options: {} };\n`;
    await write(folder, "oxlint.config.ts", untyped);
    const oxlint = join(root, "node_modules", ".bin", "oxlint");
    const { stdout } = await promisify(execFile)(oxlint, ["--format", "json"], { cwd: folder }).catch(
      (error: unknown) => error as { stdout: string },
    );
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
    expect(
      diagnostics.filter(({ code }) => code === undefined),
      "texts cannot be read",
    ).toEqual([]);
    return diagnostics
      .map(({ code = "", filename, labels }) => ({ file: filename, rule: code, line: labels[0]?.span.line ?? 0 }))
      .filter(({ rule }) => /^runwright\(|\(no-restricted-/.test(rule));
  } finally {
    await rm(folder, { recursive: true });
  }
}
