import { succeeded } from "../../e2e/support/stages.ts";
import type { Group } from "../support/attempt.ts";

export const ends: Group = {
  title: "the agent, at its sandbox's end, does not",
  file: "groups/ends.ts",
  attempts: [
    { name: "use the token of a sandbox that a drained node ended" },
    { name: "run out of memory unnoticed", outcome: "its prompt fails and says so" },
  ],
  async run({ attacker, victim, hooked }) {
    const { uid, sandbox } = await attacker.sandbox();
    const token = await attacker.steal(sandbox);
    await attacker.evict(sandbox);
    await attacker.session(({ status }) => status?.sandbox?.endReason === "SandboxLost");
    const { status } = await victim.report("channel.mjs", { token, of: { uid, attempt: sandbox.attempt } });
    const failure = succeeded(await hooked.run("memory.mjs"));
    const isNoticed = failure?.status === "False" && failure.message.includes("memory");
    return {
      // Over; or, where the pod has gone meanwhile, no token any more.
      "use the token of a sandbox that a drained node ended": [410, 503].includes(status as number)
        ? "refused"
        : status,
      "run out of memory unnoticed": isNoticed ? "its prompt fails and says so" : failure,
    };
  },
};
