import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { runWorkflow, type Surroundings } from "./runner.ts";
import { readWorkflow } from "./workflow.ts";

let folder: string;
let said: string[];
let called: Record<string, string>[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "runner-"));
  said = [];
  called = [];
});
afterEach(() => rm(folder, { recursive: true }));

function play(text: string, changes: Partial<Surroundings> = {}): Promise<string> {
  return runWorkflow(readWorkflow(text), {
    folder,
    context: { github: { ref_name: "v1.2.3" } },
    environment: { FROM_HERE: "here" },
    actions: {
      "acme/build": ({ with: given }) => {
        called.push(given);
        return Promise.resolve({ digest: `sha256:${given.target}` });
      },
    },
    leftOut: { "npm test": "it takes long" },
    replaced: [["ghcr.io", "127.0.0.1:5000"]],
    say: (line) => said.push(line),
    ...changes,
  });
}

const workflow = `
jobs:
  check:
    outputs: {registry: "\${{ steps.where.outputs.registry }}"}
    steps:
    - id: where
      env: {OWNER: Acme}
      run: echo "registry=ghcr.io/\${OWNER,,}" >> "$GITHUB_OUTPUT"
    - run: npm test
  images:
    needs: check
    env: {REGISTRY: "\${{ needs.check.outputs.registry }}"}
    strategy: {matrix: {include: [{target: operator}, {target: sandbox}]}}
    outputs: {operator: "\${{ steps.digest.outputs.operator }}", sandbox: "\${{ steps.digest.outputs.sandbox }}"}
    steps:
    - uses: acme/build@0123
      id: build
      with: {target: "\${{ matrix.target }}", tags: "\${{ env.REGISTRY }}:\${{ github.ref_name }}", push: true}
    - id: digest
      env: {TARGET: "\${{ matrix.target }}", DIGEST: "\${{ steps.build.outputs.digest }}"}
      run: echo "$TARGET=$DIGEST" >> "$GITHUB_OUTPUT"
  last:
    needs: [check, images]
    steps:
    - env: {ALL: "\${{ needs.images.outputs.operator }} \${{ needs.images.outputs.sandbox }}"}
      run: echo "$ALL $FROM_HERE" >> "$GITHUB_STEP_SUMMARY"
`;

it("runs scripts and stand-ins with variables, matrix and the outputs of what came before", async () => {
  expect(await play(workflow)).toBe("sha256:operator sha256:sandbox here\n");
  const tags = "127.0.0.1:5000/acme:v1.2.3";
  expect(called).toEqual([
    { target: "operator", tags, push: "true" },
    { target: "sandbox", tags, push: "true" },
  ]);
});

it("says what it leaves out, and why", async () => {
  await play(workflow);
  expect(said).toContain("left out: it takes long");
});

it.each([
  ["an action without a stand-in", "uses: acme/other@0123", "nothing stands for the action acme/other"],
  ["a script that fails", "run: exit 3", "status 3"],
  ["a line of a script that fails", 'run: "false\\necho on"', "status 1"],
])("fails at %s", async (_name, step, says) => {
  await expect(play(`jobs: {one: {steps: [{${step}}]}}`)).rejects.toThrow(says);
});
