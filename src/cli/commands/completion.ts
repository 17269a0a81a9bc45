import { oneOf, readValue } from "../arguments/value-types.ts";
import { defineCommand } from "../command.ts";
import { shellScripts } from "../completion/shell-scripts.ts";

const shells = Object.keys(shellScripts) as (keyof typeof shellScripts)[];

export const completion = defineCommand({
  name: "completion",
  summary: "print a script with which a shell completes commands, flags and names",
  details:
    "kubectl completes `kubectl runwright` by itself, in each shell for which its own completion is set up, once what the word kubectl prints lies on your PATH as an executable named kubectl_complete-runwright. The scripts for shells complete the name kubectl-runwright.",
  parameters: [shells.join("|")],
  flags: {},
  formats: [],
  examples: [
    "completion kubectl > kubectl_complete-runwright",
    "completion bash > /etc/bash_completion.d/kubectl-runwright",
    "completion fish > ~/.config/fish/completions/kubectl-runwright.fish",
  ],
  async run({ args, io }) {
    const shell = readValue(oneOf(shells), "the shell", args[0] ?? "", completion.name);
    io.write(shellScripts[shell]);
    return Promise.resolve(undefined);
  },
});
